"""Repeats calls that the service has not served, after the time that it asks for."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf import descriptor_pool
from google.protobuf.descriptor_pb2 import MethodOptions
from google.rpc import error_details_pb2, status_pb2

from engage_client.gen.engage.gateway.v1 import options_pb2


@dataclass(frozen=True)
class Retries:
    """Which calls are repeated, and how often.

    A call that changes nothing is repeated after UNAVAILABLE, and so is one that `repeatable` names.
    Any call is repeated that the service refused before it began, which is RESOURCE_EXHAUSTED with a
    delay. A call that changes something is otherwise not repeated: it may have been carried out.
    """

    max_attempts: int = 4
    """Calls in all."""
    first_delay_seconds: float = 0.2
    """The delay where the service names none. It doubles with each attempt, and half of it is random."""
    max_delay_seconds: float = 30.0
    """A call is not repeated when the service asks for a longer delay."""
    repeatable: Collection[str] = field(default_factory=tuple)
    """Full names of methods whose calls may be repeated although they change something, such as
    `engage.event.v1.EventCollector/Track` for records with a `uuid`."""

    def delay_of(self, error: grpc.RpcError, method: str, attempt: int) -> float | None:
        """Returns the seconds to wait before a failed call is repeated; None if it is not."""
        if attempt >= self.max_attempts:
            return None
        hint = retry_delay(error)
        code = error.code()
        is_refused = code == grpc.StatusCode.RESOURCE_EXHAUSTED and hint is not None
        is_safe = code == grpc.StatusCode.UNAVAILABLE and (method in self.repeatable or changes_nothing(method))
        if not (is_refused or is_safe):
            return None
        if hint is not None:
            return hint if hint <= self.max_delay_seconds else None
        delay = min(self.first_delay_seconds * float(2 ** (attempt - 1)), self.max_delay_seconds)
        return delay * random.uniform(0.5, 1.0)


def retry_delay(error: grpc.RpcError) -> float | None:
    """Returns the seconds after which the service says that a call may succeed; None if it says nothing."""
    for detail in error_details(error):
        if isinstance(detail, error_details_pb2.RetryInfo):
            return max(0.0, float(detail.retry_delay.ToNanoseconds()) / 1e9)
    return None


_details = (
    error_details_pb2.BadRequest,
    error_details_pb2.ErrorInfo,
    error_details_pb2.RequestInfo,
    error_details_pb2.RetryInfo,
)


def error_details(error: grpc.RpcError) -> list[Any]:
    """Returns what the service says about an error: its reason, the faults of fields, a delay, the call's id."""
    trailers = dict(error.trailing_metadata() or ())
    found: list[Any] = []
    for packed in status_pb2.Status.FromString(trailers.get("grpc-status-details-bin", b"")).details:
        for kind in _details:
            detail = kind()
            if packed.Unpack(detail):
                found.append(detail)
    return found


def changes_nothing(method: str) -> bool:
    """Reports whether the contract says that a method, named as in `package.Service/Method`, changes nothing."""
    try:
        found = descriptor_pool.Default().FindMethodByName(method.replace("/", "."))
    except KeyError:
        return False
    options: MethodOptions = found.GetOptions()
    has_no_effects = options.idempotency_level == MethodOptions.NO_SIDE_EFFECTS
    return has_no_effects or bool(options.Extensions[options_pb2.gateway].read_only)


class RetryInterceptor(grpc.UnaryUnaryClientInterceptor):
    """Repeats unary calls within their timeout."""

    def __init__(self, retries: Retries, sleep: Callable[[float], None] = time.sleep) -> None:
        self._retries = retries
        self._sleep = sleep

    def intercept_unary_unary(self, continuation: Callable[[Any, Any], Any], details: Any, request: Any) -> Any:
        method = details.method.lstrip("/")
        end = None if details.timeout is None else time.monotonic() + details.timeout
        attempt = 1
        while True:
            left = None if end is None else max(0.0, end - time.monotonic())
            call = continuation(_with_timeout(details, left), request)
            error = call.exception()
            if not isinstance(error, grpc.RpcError):
                return call
            delay = self._retries.delay_of(error, method, attempt)
            if delay is None or (end is not None and time.monotonic() + delay >= end):
                return call
            self._sleep(delay)
            attempt += 1


class _Details(grpc.ClientCallDetails):
    def __init__(self, details: Any, timeout: float | None, metadata: Any) -> None:
        self.method = details.method
        self.timeout = timeout
        self.metadata = metadata
        self.credentials = details.credentials
        self.wait_for_ready = details.wait_for_ready
        self.compression = details.compression


def _with_timeout(details: Any, timeout: float | None) -> _Details:
    return _Details(details, timeout, details.metadata)


def with_metadata(details: Any, name: str, value: str) -> _Details:
    """Returns the details of a call with one more header."""
    return _Details(details, details.timeout, (*(details.metadata or ()), (name, value)))
