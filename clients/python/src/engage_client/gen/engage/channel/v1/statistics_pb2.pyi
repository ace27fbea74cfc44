from engage_client.gen.engage.channel.v1 import task_pb2 as _task_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class BatchSummary(_message.Message):
    __slots__ = ["attempts", "failed_items", "last_failure", "number", "request_id", "size", "state"]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    FAILED_ITEMS_FIELD_NUMBER: _ClassVar[int]
    LAST_FAILURE_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    attempts: int
    failed_items: _containers.RepeatedCompositeFieldContainer[FailedItem]
    last_failure: str
    number: int
    request_id: str
    size: int
    state: str
    def __init__(self, number: _Optional[int] = ..., request_id: _Optional[str] = ..., size: _Optional[int] = ..., state: _Optional[str] = ..., attempts: _Optional[int] = ..., failed_items: _Optional[_Iterable[_Union[FailedItem, _Mapping]]] = ..., last_failure: _Optional[str] = ...) -> None: ...

class FailedItem(_message.Message):
    __slots__ = ["index", "message", "push_id"]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    PUSH_ID_FIELD_NUMBER: _ClassVar[int]
    index: int
    message: str
    push_id: str
    def __init__(self, index: _Optional[int] = ..., push_id: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class FailureCount(_message.Message):
    __slots__ = ["count", "reason"]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    count: int
    reason: str
    def __init__(self, reason: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class Funnel(_message.Message):
    __slots__ = ["group_id", "language", "steps"]
    GROUP_ID_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    group_id: str
    language: str
    steps: _containers.RepeatedCompositeFieldContainer[FunnelStep]
    def __init__(self, group_id: _Optional[str] = ..., language: _Optional[str] = ..., steps: _Optional[_Iterable[_Union[FunnelStep, _Mapping]]] = ...) -> None: ...

class FunnelStep(_message.Message):
    __slots__ = ["name", "users"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    USERS_FIELD_NUMBER: _ClassVar[int]
    name: str
    users: int
    def __init__(self, name: _Optional[str] = ..., users: _Optional[int] = ...) -> None: ...

class TaskProgress(_message.Message):
    __slots__ = ["state", "statistics", "task_id", "task_instance_id", "time"]
    STATE_FIELD_NUMBER: _ClassVar[int]
    STATISTICS_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    state: _task_pb2.TaskState
    statistics: TaskStatistics
    task_id: str
    task_instance_id: str
    time: _timestamp_pb2.Timestamp
    def __init__(self, task_id: _Optional[str] = ..., task_instance_id: _Optional[str] = ..., state: _Optional[_Union[_task_pb2.TaskState, str]] = ..., statistics: _Optional[_Union[TaskStatistics, _Mapping]] = ..., time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class TaskStatistics(_message.Message):
    __slots__ = ["batched", "batches", "control", "failed", "filtered", "planned", "retried", "sent", "settled_batches", "succeeded", "warnings"]
    BATCHED_FIELD_NUMBER: _ClassVar[int]
    BATCHES_FIELD_NUMBER: _ClassVar[int]
    CONTROL_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    FILTERED_FIELD_NUMBER: _ClassVar[int]
    PLANNED_FIELD_NUMBER: _ClassVar[int]
    RETRIED_FIELD_NUMBER: _ClassVar[int]
    SENT_FIELD_NUMBER: _ClassVar[int]
    SETTLED_BATCHES_FIELD_NUMBER: _ClassVar[int]
    SUCCEEDED_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    batched: int
    batches: int
    control: int
    failed: _containers.RepeatedCompositeFieldContainer[FailureCount]
    filtered: int
    planned: int
    retried: int
    sent: int
    settled_batches: int
    succeeded: int
    warnings: int
    def __init__(self, planned: _Optional[int] = ..., filtered: _Optional[int] = ..., control: _Optional[int] = ..., batched: _Optional[int] = ..., sent: _Optional[int] = ..., succeeded: _Optional[int] = ..., failed: _Optional[_Iterable[_Union[FailureCount, _Mapping]]] = ..., retried: _Optional[int] = ..., warnings: _Optional[int] = ..., batches: _Optional[int] = ..., settled_batches: _Optional[int] = ...) -> None: ...
