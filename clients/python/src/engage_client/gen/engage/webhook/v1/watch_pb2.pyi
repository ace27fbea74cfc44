from engage_client.gen.engage.webhook.v1 import delivery_pb2 as _delivery_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class BatchAccepted(_message.Message):
    __slots__ = ["accepted_count", "failed_count"]
    ACCEPTED_COUNT_FIELD_NUMBER: _ClassVar[int]
    FAILED_COUNT_FIELD_NUMBER: _ClassVar[int]
    accepted_count: int
    failed_count: int
    def __init__(self, accepted_count: _Optional[int] = ..., failed_count: _Optional[int] = ...) -> None: ...

class DeliveryEvent(_message.Message):
    __slots__ = ["accepted", "attempted", "batch_id", "channel", "time"]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTED_FIELD_NUMBER: _ClassVar[int]
    BATCH_ID_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    accepted: BatchAccepted
    attempted: MessagesAttempted
    batch_id: str
    channel: str
    time: _timestamp_pb2.Timestamp
    def __init__(self, time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., channel: _Optional[str] = ..., batch_id: _Optional[str] = ..., accepted: _Optional[_Union[BatchAccepted, _Mapping]] = ..., attempted: _Optional[_Union[MessagesAttempted, _Mapping]] = ...) -> None: ...

class MessagesAttempted(_message.Message):
    __slots__ = ["attempt", "duration", "indexes", "outcome", "reason", "status", "target"]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    INDEXES_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    attempt: int
    duration: _duration_pb2.Duration
    indexes: _containers.RepeatedScalarFieldContainer[int]
    outcome: _delivery_pb2.AttemptOutcome
    reason: str
    status: int
    target: str
    def __init__(self, target: _Optional[str] = ..., indexes: _Optional[_Iterable[int]] = ..., attempt: _Optional[int] = ..., outcome: _Optional[_Union[_delivery_pb2.AttemptOutcome, str]] = ..., reason: _Optional[str] = ..., status: _Optional[int] = ..., duration: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class WatchDeliveriesRequest(_message.Message):
    __slots__ = ["channel", "target"]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    channel: str
    target: str
    def __init__(self, channel: _Optional[str] = ..., target: _Optional[str] = ...) -> None: ...

class WatchDeliveriesResponse(_message.Message):
    __slots__ = ["events", "skipped"]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[DeliveryEvent]
    skipped: int
    def __init__(self, events: _Optional[_Iterable[_Union[DeliveryEvent, _Mapping]]] = ..., skipped: _Optional[int] = ...) -> None: ...
