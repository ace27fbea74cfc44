from engage_client.gen.engage.event.v1 import record_pb2 as _record_pb2
from google.api import httpbody_pb2 as _httpbody_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CheckAppidRequest(_message.Message):
    __slots__ = ["appid"]
    APPID_FIELD_NUMBER: _ClassVar[int]
    appid: str
    def __init__(self, appid: _Optional[str] = ...) -> None: ...

class CheckAppidResponse(_message.Message):
    __slots__ = ["code", "msg"]
    CODE_FIELD_NUMBER: _ClassVar[int]
    MSG_FIELD_NUMBER: _ClassVar[int]
    code: int
    msg: str
    def __init__(self, code: _Optional[int] = ..., msg: _Optional[str] = ...) -> None: ...

class DebugIngestRequest(_message.Message):
    __slots__ = ["appid", "body", "data", "dry_run"]
    APPID_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    appid: str
    body: _httpbody_pb2.HttpBody
    data: str
    dry_run: int
    def __init__(self, body: _Optional[_Union[_httpbody_pb2.HttpBody, _Mapping]] = ..., appid: _Optional[str] = ..., data: _Optional[str] = ..., dry_run: _Optional[int] = ...) -> None: ...

class DebugIngestResponse(_message.Message):
    __slots__ = ["error_level", "error_properties", "error_reasons"]
    ERROR_LEVEL_FIELD_NUMBER: _ClassVar[int]
    ERROR_PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    ERROR_REASONS_FIELD_NUMBER: _ClassVar[int]
    error_level: int
    error_properties: _containers.RepeatedCompositeFieldContainer[_record_pb2.DroppedProperty]
    error_reasons: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, error_level: _Optional[int] = ..., error_properties: _Optional[_Iterable[_Union[_record_pb2.DroppedProperty, _Mapping]]] = ..., error_reasons: _Optional[_Iterable[str]] = ...) -> None: ...

class GetConfigRequest(_message.Message):
    __slots__ = ["appid"]
    APPID_FIELD_NUMBER: _ClassVar[int]
    appid: str
    def __init__(self, appid: _Optional[str] = ...) -> None: ...

class GetConfigResponse(_message.Message):
    __slots__ = ["code", "msg", "sync_batch_size", "sync_interval"]
    CODE_FIELD_NUMBER: _ClassVar[int]
    MSG_FIELD_NUMBER: _ClassVar[int]
    SYNC_BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    SYNC_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    code: int
    msg: str
    sync_batch_size: int
    sync_interval: int
    def __init__(self, code: _Optional[int] = ..., msg: _Optional[str] = ..., sync_interval: _Optional[int] = ..., sync_batch_size: _Optional[int] = ...) -> None: ...

class HealthCheckRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class HealthCheckResponse(_message.Message):
    __slots__ = ["code"]
    CODE_FIELD_NUMBER: _ClassVar[int]
    code: int
    def __init__(self, code: _Optional[int] = ...) -> None: ...

class IngestRequest(_message.Message):
    __slots__ = ["appid", "body", "compress", "data", "debug"]
    APPID_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    COMPRESS_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    DEBUG_FIELD_NUMBER: _ClassVar[int]
    appid: str
    body: _httpbody_pb2.HttpBody
    compress: str
    data: str
    debug: int
    def __init__(self, body: _Optional[_Union[_httpbody_pb2.HttpBody, _Mapping]] = ..., appid: _Optional[str] = ..., compress: _Optional[str] = ..., debug: _Optional[int] = ..., data: _Optional[str] = ...) -> None: ...

class IngestResponse(_message.Message):
    __slots__ = ["code", "msg", "records"]
    CODE_FIELD_NUMBER: _ClassVar[int]
    MSG_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    code: int
    msg: str
    records: _containers.RepeatedCompositeFieldContainer[IngestedRecord]
    def __init__(self, code: _Optional[int] = ..., msg: _Optional[str] = ..., records: _Optional[_Iterable[_Union[IngestedRecord, _Mapping]]] = ...) -> None: ...

class IngestedRecord(_message.Message):
    __slots__ = ["index", "result"]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    index: int
    result: _record_pb2.RecordResult
    def __init__(self, index: _Optional[int] = ..., result: _Optional[_Union[_record_pb2.RecordResult, _Mapping]] = ...) -> None: ...
