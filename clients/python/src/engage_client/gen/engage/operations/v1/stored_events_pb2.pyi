from engage_client.gen.engage.gateway.v1 import limits_pb2 as _limits_pb2
from engage_client.gen.engage.gateway.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CountEventsRequest(_message.Message):
    __slots__ = ["selection"]
    SELECTION_FIELD_NUMBER: _ClassVar[int]
    selection: EventSelection
    def __init__(self, selection: _Optional[_Union[EventSelection, _Mapping]] = ...) -> None: ...

class CountEventsResponse(_message.Message):
    __slots__ = ["count", "events", "unknown_users"]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_USERS_FIELD_NUMBER: _ClassVar[int]
    count: int
    events: _containers.RepeatedCompositeFieldContainer[EventCount]
    unknown_users: _containers.RepeatedCompositeFieldContainer[UserId]
    def __init__(self, count: _Optional[int] = ..., events: _Optional[_Iterable[_Union[EventCount, _Mapping]]] = ..., unknown_users: _Optional[_Iterable[_Union[UserId, _Mapping]]] = ...) -> None: ...

class DeleteEventsRequest(_message.Message):
    __slots__ = ["all", "max_events", "selection"]
    ALL_FIELD_NUMBER: _ClassVar[int]
    MAX_EVENTS_FIELD_NUMBER: _ClassVar[int]
    SELECTION_FIELD_NUMBER: _ClassVar[int]
    all: bool
    max_events: int
    selection: EventSelection
    def __init__(self, selection: _Optional[_Union[EventSelection, _Mapping]] = ..., max_events: _Optional[int] = ..., all: bool = ...) -> None: ...

class DeleteEventsResponse(_message.Message):
    __slots__ = ["deleted", "unknown_users"]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_USERS_FIELD_NUMBER: _ClassVar[int]
    deleted: int
    unknown_users: _containers.RepeatedCompositeFieldContainer[UserId]
    def __init__(self, deleted: _Optional[int] = ..., unknown_users: _Optional[_Iterable[_Union[UserId, _Mapping]]] = ...) -> None: ...

class EventCount(_message.Message):
    __slots__ = ["count", "event"]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    count: int
    event: str
    def __init__(self, event: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class EventSelection(_message.Message):
    __slots__ = ["events", "from_day", "project_id", "to_day", "users"]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    FROM_DAY_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    TO_DAY_FIELD_NUMBER: _ClassVar[int]
    USERS_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedScalarFieldContainer[str]
    from_day: str
    project_id: int
    to_day: str
    users: _containers.RepeatedCompositeFieldContainer[UserId]
    def __init__(self, project_id: _Optional[int] = ..., events: _Optional[_Iterable[str]] = ..., from_day: _Optional[str] = ..., to_day: _Optional[str] = ..., users: _Optional[_Iterable[_Union[UserId, _Mapping]]] = ...) -> None: ...

class UserId(_message.Message):
    __slots__ = ["account_id", "distinct_id", "user_id"]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    DISTINCT_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    distinct_id: str
    user_id: int
    def __init__(self, account_id: _Optional[str] = ..., distinct_id: _Optional[str] = ..., user_id: _Optional[int] = ...) -> None: ...
