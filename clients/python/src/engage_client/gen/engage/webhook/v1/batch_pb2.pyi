from engage_client.gen.engage.webhook.v1 import message_pb2 as _message_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Dead(_message.Message):
    __slots__ = ["reason"]
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class Done(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class HandedMessage(_message.Message):
    __slots__ = ["custom_params", "delivery_id", "index", "params", "push_id", "raw_receipt", "receipt"]
    class CustomParamsEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: _struct_pb2.Value
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ...) -> None: ...
    class ParamsEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: _struct_pb2.Value
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ...) -> None: ...
    CUSTOM_PARAMS_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_ID_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    PARAMS_FIELD_NUMBER: _ClassVar[int]
    PUSH_ID_FIELD_NUMBER: _ClassVar[int]
    RAW_RECEIPT_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    custom_params: _containers.MessageMap[str, _struct_pb2.Value]
    delivery_id: str
    index: int
    params: _containers.MessageMap[str, _struct_pb2.Value]
    push_id: str
    raw_receipt: bytes
    receipt: _message_pb2.ReceiptProperties
    def __init__(self, delivery_id: _Optional[str] = ..., index: _Optional[int] = ..., push_id: _Optional[str] = ..., params: _Optional[_Mapping[str, _struct_pb2.Value]] = ..., custom_params: _Optional[_Mapping[str, _struct_pb2.Value]] = ..., raw_receipt: _Optional[bytes] = ..., receipt: _Optional[_Union[_message_pb2.ReceiptProperties, _Mapping]] = ...) -> None: ...

class MessageBatch(_message.Message):
    __slots__ = ["accepted_time", "attempt", "batch_id", "channel", "messages", "replay", "request_id", "target"]
    ACCEPTED_TIME_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    BATCH_ID_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    REPLAY_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    accepted_time: _timestamp_pb2.Timestamp
    attempt: int
    batch_id: str
    channel: str
    messages: _containers.RepeatedCompositeFieldContainer[HandedMessage]
    replay: str
    request_id: str
    target: str
    def __init__(self, batch_id: _Optional[str] = ..., channel: _Optional[str] = ..., target: _Optional[str] = ..., request_id: _Optional[str] = ..., accepted_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., attempt: _Optional[int] = ..., messages: _Optional[_Iterable[_Union[HandedMessage, _Mapping]]] = ..., replay: _Optional[str] = ...) -> None: ...

class MessageResult(_message.Message):
    __slots__ = ["dead", "done", "index", "retry_after"]
    DEAD_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_FIELD_NUMBER: _ClassVar[int]
    dead: Dead
    done: Done
    index: int
    retry_after: RetryAfter
    def __init__(self, index: _Optional[int] = ..., done: _Optional[_Union[Done, _Mapping]] = ..., retry_after: _Optional[_Union[RetryAfter, _Mapping]] = ..., dead: _Optional[_Union[Dead, _Mapping]] = ...) -> None: ...

class RetryAfter(_message.Message):
    __slots__ = ["delay", "reason"]
    DELAY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    delay: _duration_pb2.Duration
    reason: str
    def __init__(self, delay: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., reason: _Optional[str] = ...) -> None: ...
