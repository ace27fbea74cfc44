from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
REFUSAL_REASON_BAD_BODY: RefusalReason
REFUSAL_REASON_CONFLICT: RefusalReason
REFUSAL_REASON_TOO_LARGE: RefusalReason
REFUSAL_REASON_UNAUTHENTICATED: RefusalReason
REFUSAL_REASON_UNAVAILABLE: RefusalReason
REFUSAL_REASON_UNKNOWN_CHANNEL: RefusalReason
REFUSAL_REASON_UNSPECIFIED: RefusalReason

class ListRefusalsRequest(_message.Message):
    __slots__ = ["channel", "page_size", "page_token", "reason"]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    channel: str
    page_size: int
    page_token: str
    reason: RefusalReason
    def __init__(self, channel: _Optional[str] = ..., reason: _Optional[_Union[RefusalReason, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListRefusalsResponse(_message.Message):
    __slots__ = ["next_page_token", "refusals"]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REFUSALS_FIELD_NUMBER: _ClassVar[int]
    next_page_token: str
    refusals: _containers.RepeatedCompositeFieldContainer[RefusedRequest]
    def __init__(self, refusals: _Optional[_Iterable[_Union[RefusedRequest, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RefusedRequest(_message.Message):
    __slots__ = ["body", "body_bytes", "cause", "channel", "message", "number", "reason", "time"]
    BODY_BYTES_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    body: bytes
    body_bytes: int
    cause: str
    channel: str
    message: str
    number: int
    reason: RefusalReason
    time: _timestamp_pb2.Timestamp
    def __init__(self, number: _Optional[int] = ..., time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., channel: _Optional[str] = ..., reason: _Optional[_Union[RefusalReason, str]] = ..., message: _Optional[str] = ..., cause: _Optional[str] = ..., body: _Optional[bytes] = ..., body_bytes: _Optional[int] = ...) -> None: ...

class RefusalReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
