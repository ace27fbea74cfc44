from engage_client.gen.engage.webhook.v1 import batch_pb2 as _batch_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class HandleRequest(_message.Message):
    __slots__ = ["batch"]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    batch: _batch_pb2.MessageBatch
    def __init__(self, batch: _Optional[_Union[_batch_pb2.MessageBatch, _Mapping]] = ...) -> None: ...

class HandleResponse(_message.Message):
    __slots__ = ["results"]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[_batch_pb2.MessageResult]
    def __init__(self, results: _Optional[_Iterable[_Union[_batch_pb2.MessageResult, _Mapping]]] = ...) -> None: ...
