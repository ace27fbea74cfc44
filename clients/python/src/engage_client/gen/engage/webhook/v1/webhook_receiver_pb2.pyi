from engage_client.gen.engage.gateway.v1 import options_pb2 as _options_pb2
from engage_client.gen.engage.webhook.v1 import click_pb2 as _click_pb2
from engage_client.gen.engage.webhook.v1 import delivery_pb2 as _delivery_pb2
from engage_client.gen.engage.webhook.v1 import lease_pb2 as _lease_pb2
from engage_client.gen.engage.webhook.v1 import message_pb2 as _message_pb2
from engage_client.gen.engage.webhook.v1 import received_batch_pb2 as _received_batch_pb2
from engage_client.gen.engage.webhook.v1 import refused_request_pb2 as _refused_request_pb2
from engage_client.gen.engage.webhook.v1 import watch_pb2 as _watch_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FailedElement(_message.Message):
    __slots__ = ["index", "message"]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    index: int
    message: str
    def __init__(self, index: _Optional[int] = ..., message: _Optional[str] = ...) -> None: ...

class ReceiveData(_message.Message):
    __slots__ = ["fail_list"]
    FAIL_LIST_FIELD_NUMBER: _ClassVar[int]
    fail_list: _containers.RepeatedCompositeFieldContainer[FailedElement]
    def __init__(self, fail_list: _Optional[_Iterable[_Union[FailedElement, _Mapping]]] = ...) -> None: ...

class ReceiveRequest(_message.Message):
    __slots__ = ["channel", "messages"]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    channel: str
    messages: _containers.RepeatedCompositeFieldContainer[_message_pb2.WebhookMessage]
    def __init__(self, channel: _Optional[str] = ..., messages: _Optional[_Iterable[_Union[_message_pb2.WebhookMessage, _Mapping]]] = ...) -> None: ...

class ReceiveResponse(_message.Message):
    __slots__ = ["data", "return_code", "return_message"]
    DATA_FIELD_NUMBER: _ClassVar[int]
    RETURN_CODE_FIELD_NUMBER: _ClassVar[int]
    RETURN_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    data: ReceiveData
    return_code: int
    return_message: str
    def __init__(self, return_code: _Optional[int] = ..., return_message: _Optional[str] = ..., data: _Optional[_Union[ReceiveData, _Mapping]] = ...) -> None: ...
