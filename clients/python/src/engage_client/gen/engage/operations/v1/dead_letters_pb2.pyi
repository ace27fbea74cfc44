from google.api import httpbody_pb2 as _httpbody_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DEAD_LETTER_KIND_CLICK: DeadLetterKind
DEAD_LETTER_KIND_PARSER: DeadLetterKind
DEAD_LETTER_KIND_RECORD: DeadLetterKind
DEAD_LETTER_KIND_UNSPECIFIED: DeadLetterKind
DEAD_LETTER_KIND_WEBHOOK: DeadLetterKind
DEAD_LETTER_ORDER_NEWEST: DeadLetterOrder
DEAD_LETTER_ORDER_OLDEST: DeadLetterOrder
DEAD_LETTER_ORDER_UNSPECIFIED: DeadLetterOrder
DESCRIPTOR: _descriptor.FileDescriptor

class CountDeadLettersRequest(_message.Message):
    __slots__ = ["filter", "page_token"]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    filter: DeadLetterFilter
    page_token: str
    def __init__(self, filter: _Optional[_Union[DeadLetterFilter, _Mapping]] = ..., page_token: _Optional[str] = ...) -> None: ...

class CountDeadLettersResponse(_message.Message):
    __slots__ = ["count", "next_page_token"]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    count: int
    next_page_token: str
    def __init__(self, count: _Optional[int] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DeadLetter(_message.Message):
    __slots__ = ["channel", "content", "content_is_cut", "dead_letter_id", "dead_time", "delivery_id", "format", "incomplete", "index", "kind", "lines", "message", "project_id", "push_id", "reason", "source", "target"]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_IS_CUT_FIELD_NUMBER: _ClassVar[int]
    DEAD_LETTER_ID_FIELD_NUMBER: _ClassVar[int]
    DEAD_TIME_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_ID_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    PUSH_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    channel: str
    content: bytes
    content_is_cut: bool
    dead_letter_id: str
    dead_time: _timestamp_pb2.Timestamp
    delivery_id: str
    format: str
    incomplete: bool
    index: str
    kind: DeadLetterKind
    lines: int
    message: str
    project_id: int
    push_id: str
    reason: str
    source: str
    target: str
    def __init__(self, dead_letter_id: _Optional[str] = ..., kind: _Optional[_Union[DeadLetterKind, str]] = ..., dead_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., project_id: _Optional[int] = ..., channel: _Optional[str] = ..., target: _Optional[str] = ..., push_id: _Optional[str] = ..., source: _Optional[str] = ..., index: _Optional[str] = ..., format: _Optional[str] = ..., lines: _Optional[int] = ..., content: _Optional[bytes] = ..., content_is_cut: bool = ..., incomplete: bool = ..., delivery_id: _Optional[str] = ...) -> None: ...

class DeadLetterFilter(_message.Message):
    __slots__ = ["channel", "dead_from", "dead_letter_id", "dead_until", "index", "kind", "project_id", "reason", "target", "text"]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    DEAD_FROM_FIELD_NUMBER: _ClassVar[int]
    DEAD_LETTER_ID_FIELD_NUMBER: _ClassVar[int]
    DEAD_UNTIL_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    channel: str
    dead_from: _timestamp_pb2.Timestamp
    dead_letter_id: str
    dead_until: _timestamp_pb2.Timestamp
    index: str
    kind: DeadLetterKind
    project_id: int
    reason: str
    target: str
    text: str
    def __init__(self, kind: _Optional[_Union[DeadLetterKind, str]] = ..., dead_letter_id: _Optional[str] = ..., reason: _Optional[str] = ..., text: _Optional[str] = ..., project_id: _Optional[int] = ..., channel: _Optional[str] = ..., target: _Optional[str] = ..., index: _Optional[str] = ..., dead_from: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., dead_until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class DeadLetterKindSummary(_message.Message):
    __slots__ = ["bytes", "complete", "count", "kind", "newest_time", "oldest_time", "replay_obstacle"]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NEWEST_TIME_FIELD_NUMBER: _ClassVar[int]
    OLDEST_TIME_FIELD_NUMBER: _ClassVar[int]
    REPLAY_OBSTACLE_FIELD_NUMBER: _ClassVar[int]
    bytes: int
    complete: bool
    count: int
    kind: DeadLetterKind
    newest_time: _timestamp_pb2.Timestamp
    oldest_time: _timestamp_pb2.Timestamp
    replay_obstacle: str
    def __init__(self, kind: _Optional[_Union[DeadLetterKind, str]] = ..., count: _Optional[int] = ..., complete: bool = ..., oldest_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., newest_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., bytes: _Optional[int] = ..., replay_obstacle: _Optional[str] = ...) -> None: ...

class DeadLetterReason(_message.Message):
    __slots__ = ["channel", "count", "example", "newest_time", "oldest_time", "project_id", "reason", "target"]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    EXAMPLE_FIELD_NUMBER: _ClassVar[int]
    NEWEST_TIME_FIELD_NUMBER: _ClassVar[int]
    OLDEST_TIME_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    channel: str
    count: int
    example: DeadLetter
    newest_time: _timestamp_pb2.Timestamp
    oldest_time: _timestamp_pb2.Timestamp
    project_id: int
    reason: str
    target: str
    def __init__(self, reason: _Optional[str] = ..., project_id: _Optional[int] = ..., channel: _Optional[str] = ..., target: _Optional[str] = ..., count: _Optional[int] = ..., oldest_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., newest_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., example: _Optional[_Union[DeadLetter, _Mapping]] = ...) -> None: ...

class ExportDeadLettersRequest(_message.Message):
    __slots__ = ["filter"]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    filter: DeadLetterFilter
    def __init__(self, filter: _Optional[_Union[DeadLetterFilter, _Mapping]] = ...) -> None: ...

class ExportDeadLettersResponse(_message.Message):
    __slots__ = ["body"]
    BODY_FIELD_NUMBER: _ClassVar[int]
    body: _httpbody_pb2.HttpBody
    def __init__(self, body: _Optional[_Union[_httpbody_pb2.HttpBody, _Mapping]] = ...) -> None: ...

class GetDeadLetterRequest(_message.Message):
    __slots__ = ["dead_letter_id"]
    DEAD_LETTER_ID_FIELD_NUMBER: _ClassVar[int]
    dead_letter_id: str
    def __init__(self, dead_letter_id: _Optional[str] = ...) -> None: ...

class GetDeadLetterResponse(_message.Message):
    __slots__ = ["dead_letter"]
    DEAD_LETTER_FIELD_NUMBER: _ClassVar[int]
    dead_letter: DeadLetter
    def __init__(self, dead_letter: _Optional[_Union[DeadLetter, _Mapping]] = ...) -> None: ...

class ListDeadLettersRequest(_message.Message):
    __slots__ = ["filter", "order", "page_size", "page_token"]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    filter: DeadLetterFilter
    order: DeadLetterOrder
    page_size: int
    page_token: str
    def __init__(self, filter: _Optional[_Union[DeadLetterFilter, _Mapping]] = ..., order: _Optional[_Union[DeadLetterOrder, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListDeadLettersResponse(_message.Message):
    __slots__ = ["dead_letters", "next_page_token"]
    DEAD_LETTERS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    dead_letters: _containers.RepeatedCompositeFieldContainer[DeadLetter]
    next_page_token: str
    def __init__(self, dead_letters: _Optional[_Iterable[_Union[DeadLetter, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListKindsRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ListKindsResponse(_message.Message):
    __slots__ = ["kinds"]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    kinds: _containers.RepeatedCompositeFieldContainer[DeadLetterKindSummary]
    def __init__(self, kinds: _Optional[_Iterable[_Union[DeadLetterKindSummary, _Mapping]]] = ...) -> None: ...

class ListReasonsRequest(_message.Message):
    __slots__ = ["kind"]
    KIND_FIELD_NUMBER: _ClassVar[int]
    kind: DeadLetterKind
    def __init__(self, kind: _Optional[_Union[DeadLetterKind, str]] = ...) -> None: ...

class ListReasonsResponse(_message.Message):
    __slots__ = ["complete", "further", "reasons"]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    FURTHER_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    complete: bool
    further: int
    reasons: _containers.RepeatedCompositeFieldContainer[DeadLetterReason]
    def __init__(self, reasons: _Optional[_Iterable[_Union[DeadLetterReason, _Mapping]]] = ..., complete: bool = ..., further: _Optional[int] = ...) -> None: ...

class ReplayDeadLettersRequest(_message.Message):
    __slots__ = ["all", "filter", "page_size", "page_token"]
    ALL_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    all: bool
    filter: DeadLetterFilter
    page_size: int
    page_token: str
    def __init__(self, filter: _Optional[_Union[DeadLetterFilter, _Mapping]] = ..., all: bool = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ReplayDeadLettersResponse(_message.Message):
    __slots__ = ["first_refusal", "incomplete", "next_page_token", "refused", "replayed"]
    FIRST_REFUSAL_FIELD_NUMBER: _ClassVar[int]
    INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    first_refusal: str
    incomplete: int
    next_page_token: str
    refused: int
    replayed: int
    def __init__(self, replayed: _Optional[int] = ..., refused: _Optional[int] = ..., incomplete: _Optional[int] = ..., first_refusal: _Optional[str] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DeadLetterKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class DeadLetterOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
