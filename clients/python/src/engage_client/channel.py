"""Connections to an engage server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc

from engage_client.retry import Retries, RetryInterceptor, with_metadata

_options = [
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    # The service's retries are carried out by RetryInterceptor, which knows what is safe to repeat.
    ("grpc.enable_retries", 0),
]


def connect(
    address: str,
    *,
    key: str | None = None,
    credentials: grpc.ChannelCredentials | None = None,
    retries: Retries | None = Retries(),
) -> grpc.Channel:
    """Opens a channel to a server, such as `127.0.0.1:8080`, for the stubs in `engage_client.gen`.

    The key, or a query token, is sent with each call. It is secret, so use `credentials` (such as
    `grpc.ssl_channel_credentials()`) for a server on another machine. `retries=None` repeats no call.
    """
    channel = (
        grpc.insecure_channel(address, options=_options)
        if credentials is None
        else grpc.secure_channel(address, credentials, options=_options)
    )
    interceptors: list[Any] = []
    if retries is not None:
        interceptors.append(RetryInterceptor(retries))
    if key is not None:
        interceptors.append(_Bearer(key))
    return grpc.intercept_channel(channel, *interceptors)


class _Bearer(
    grpc.UnaryUnaryClientInterceptor,
    grpc.UnaryStreamClientInterceptor,
    grpc.StreamUnaryClientInterceptor,
    grpc.StreamStreamClientInterceptor,
):
    """Sends a key with each call."""

    def __init__(self, key: str) -> None:
        self._value = f"Bearer {key}"

    def _continue(self, continuation: Callable[[Any, Any], Any], details: Any, request: Any) -> Any:
        return continuation(with_metadata(details, "authorization", self._value), request)

    intercept_unary_unary = _continue
    intercept_unary_stream = _continue
    intercept_stream_unary = _continue
    intercept_stream_stream = _continue
