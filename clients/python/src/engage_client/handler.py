"""A base for services that engage hands messages to, as a target of kind `grpc`."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration

from engage_client.gen.engage.handler.v1 import message_handler_pb2, message_handler_pb2_grpc
from engage_client.gen.engage.webhook.v1.batch_pb2 import HandedMessage, MessageBatch, MessageResult

_log = logging.getLogger("engage_client")


class Retry(Exception):
    """Raised for a message that cannot be handled now and is to be sent again."""

    def __init__(self, reason: str, after_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.after_seconds = after_seconds


class Dead(Exception):
    """Raised for a message that can never be handled and becomes a dead letter."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class MessageHandler(message_handler_pb2_grpc.MessageHandlerServicer):
    """Handles the messages of a batch one by one. Override `handle_message`."""

    def handle_message(self, message: HandedMessage, batch: MessageBatch) -> None:
        """Handles a message. Return when it is done; raise Retry or Dead when it is not.

        Any other exception is logged, and the message is sent again. A message can arrive more than
        once: one that must not be handled twice is known by `message.delivery_id` and `batch.replay`.
        """
        raise NotImplementedError

    def Handle(  # noqa: N802
        self, request: message_handler_pb2.HandleRequest, context: grpc.ServicerContext
    ) -> message_handler_pb2.HandleResponse:
        batch = request.batch
        results = [self._result(message, batch) for message in batch.messages]
        return message_handler_pb2.HandleResponse(results=results)

    def _result(self, message: HandedMessage, batch: MessageBatch) -> MessageResult:
        result = MessageResult(index=message.index)
        try:
            self.handle_message(message, batch)
            result.done.SetInParent()
        except Dead as dead:
            result.dead.reason = dead.reason
        except Retry as retry:
            result.retry_after.reason = retry.reason
            if retry.after_seconds is not None:
                result.retry_after.delay.CopyFrom(_duration(retry.after_seconds))
        except Exception as error:
            # The text of an unforeseen error may have secrets, and the reason is shown to operators.
            _log.exception("a message could not be handled: %s", message.delivery_id)
            result.retry_after.reason = f"the handler raised {type(error).__name__}"
        return result


def create_server(handler: MessageHandler, *, bearer: str | None = None, max_workers: int = 8) -> grpc.Server:
    """Creates a server of a handler, without a port.

    With `bearer`, the text that the target's setting `bearer` has, calls without it are refused.
    """
    interceptors = [] if bearer is None else [_BearerCheck(bearer)]
    server = grpc.server(ThreadPoolExecutor(max_workers=max_workers), interceptors=interceptors)
    message_handler_pb2_grpc.add_MessageHandlerServicer_to_server(handler, server)
    return server


def _duration(seconds: float) -> Duration:
    duration = Duration()
    duration.FromMilliseconds(round(max(0.0, seconds) * 1000))
    return duration


class _BearerCheck(grpc.ServerInterceptor):
    def __init__(self, bearer: str) -> None:
        self._expected = f"Bearer {bearer}".encode()

    def intercept_service(self, continuation: Callable[[Any], Any], details: Any) -> Any:
        given = dict(details.invocation_metadata).get("authorization", "")
        if hmac.compare_digest(given.encode(), self._expected):
            return continuation(details)
        return grpc.unary_unary_rpc_method_handler(_refuse)


def _refuse(_request: Any, context: grpc.ServicerContext) -> None:
    context.abort(grpc.StatusCode.UNAUTHENTICATED, "the bearer token is missing or wrong")
