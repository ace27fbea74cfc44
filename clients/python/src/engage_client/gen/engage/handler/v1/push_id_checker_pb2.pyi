from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CheckPushIdsRequest(_message.Message):
    __slots__ = ["channel", "push_ids"]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    PUSH_IDS_FIELD_NUMBER: _ClassVar[int]
    channel: str
    push_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, channel: _Optional[str] = ..., push_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class CheckPushIdsResponse(_message.Message):
    __slots__ = ["unusable"]
    UNUSABLE_FIELD_NUMBER: _ClassVar[int]
    unusable: _containers.RepeatedCompositeFieldContainer[UnusablePushId]
    def __init__(self, unusable: _Optional[_Iterable[_Union[UnusablePushId, _Mapping]]] = ...) -> None: ...

class UnusablePushId(_message.Message):
    __slots__ = ["push_id", "reason"]
    PUSH_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    push_id: str
    reason: str
    def __init__(self, push_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...
