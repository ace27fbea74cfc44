from engage_client.gen.engage.event.v1 import record_pb2 as _record_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TrackRequest(_message.Message):
    __slots__ = ["appid", "dry_run", "json_lines", "project_id", "records"]
    APPID_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    JSON_LINES_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    appid: str
    dry_run: bool
    json_lines: bytes
    project_id: int
    records: _containers.RepeatedCompositeFieldContainer[_record_pb2.Record]
    def __init__(self, project_id: _Optional[int] = ..., appid: _Optional[str] = ..., records: _Optional[_Iterable[_Union[_record_pb2.Record, _Mapping]]] = ..., json_lines: _Optional[bytes] = ..., dry_run: bool = ...) -> None: ...

class TrackResponse(_message.Message):
    __slots__ = ["accepted", "refused", "results"]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    accepted: int
    refused: int
    results: _containers.RepeatedCompositeFieldContainer[_record_pb2.RecordResult]
    def __init__(self, results: _Optional[_Iterable[_Union[_record_pb2.RecordResult, _Mapping]]] = ..., accepted: _Optional[int] = ..., refused: _Optional[int] = ...) -> None: ...

class TrackStreamRequest(_message.Message):
    __slots__ = ["batch", "sequence"]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    batch: TrackRequest
    sequence: int
    def __init__(self, sequence: _Optional[int] = ..., batch: _Optional[_Union[TrackRequest, _Mapping]] = ...) -> None: ...

class TrackStreamResponse(_message.Message):
    __slots__ = ["result", "sequence"]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    result: TrackResponse
    sequence: int
    def __init__(self, sequence: _Optional[int] = ..., result: _Optional[_Union[TrackResponse, _Mapping]] = ...) -> None: ...
