from engage_client.gen.engage.webhook.v1 import batch_pb2 as _batch_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class LeaseMessagesRequest(_message.Message):
    __slots__ = ["lease", "max_messages", "target", "wait"]
    LEASE_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    lease: _duration_pb2.Duration
    max_messages: int
    target: str
    wait: _duration_pb2.Duration
    def __init__(self, target: _Optional[str] = ..., max_messages: _Optional[int] = ..., lease: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., wait: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class LeaseMessagesResponse(_message.Message):
    __slots__ = ["batches"]
    BATCHES_FIELD_NUMBER: _ClassVar[int]
    batches: _containers.RepeatedCompositeFieldContainer[LeasedBatch]
    def __init__(self, batches: _Optional[_Iterable[_Union[LeasedBatch, _Mapping]]] = ...) -> None: ...

class LeasedBatch(_message.Message):
    __slots__ = ["batch", "lease_end_time", "lease_token"]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    LEASE_END_TIME_FIELD_NUMBER: _ClassVar[int]
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    batch: _batch_pb2.MessageBatch
    lease_end_time: _timestamp_pb2.Timestamp
    lease_token: str
    def __init__(self, lease_token: _Optional[str] = ..., lease_end_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., batch: _Optional[_Union[_batch_pb2.MessageBatch, _Mapping]] = ...) -> None: ...

class SettleMessagesRequest(_message.Message):
    __slots__ = ["settlements"]
    SETTLEMENTS_FIELD_NUMBER: _ClassVar[int]
    settlements: _containers.RepeatedCompositeFieldContainer[Settlement]
    def __init__(self, settlements: _Optional[_Iterable[_Union[Settlement, _Mapping]]] = ...) -> None: ...

class SettleMessagesResponse(_message.Message):
    __slots__ = ["settled_count", "stale_lease_tokens"]
    SETTLED_COUNT_FIELD_NUMBER: _ClassVar[int]
    STALE_LEASE_TOKENS_FIELD_NUMBER: _ClassVar[int]
    settled_count: int
    stale_lease_tokens: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, settled_count: _Optional[int] = ..., stale_lease_tokens: _Optional[_Iterable[str]] = ...) -> None: ...

class Settlement(_message.Message):
    __slots__ = ["lease_token", "results"]
    LEASE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    lease_token: str
    results: _containers.RepeatedCompositeFieldContainer[_batch_pb2.MessageResult]
    def __init__(self, lease_token: _Optional[str] = ..., results: _Optional[_Iterable[_Union[_batch_pb2.MessageResult, _Mapping]]] = ...) -> None: ...
