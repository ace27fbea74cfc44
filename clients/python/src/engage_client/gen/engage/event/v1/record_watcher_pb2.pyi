from engage_client.gen.engage.event.v1 import record_pb2 as _record_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
RECORD_VERDICT_ACCEPTED: RecordVerdict
RECORD_VERDICT_PROPERTIES_DROPPED: RecordVerdict
RECORD_VERDICT_REFUSED: RecordVerdict
RECORD_VERDICT_REPEATED: RecordVerdict
RECORD_VERDICT_UNSPECIFIED: RecordVerdict

class WatchRecordsRequest(_message.Message):
    __slots__ = ["appid", "event_names", "project_id", "verdicts"]
    APPID_FIELD_NUMBER: _ClassVar[int]
    EVENT_NAMES_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    VERDICTS_FIELD_NUMBER: _ClassVar[int]
    appid: str
    event_names: _containers.RepeatedScalarFieldContainer[str]
    project_id: int
    verdicts: _containers.RepeatedScalarFieldContainer[RecordVerdict]
    def __init__(self, project_id: _Optional[int] = ..., event_names: _Optional[_Iterable[str]] = ..., appid: _Optional[str] = ..., verdicts: _Optional[_Iterable[_Union[RecordVerdict, str]]] = ...) -> None: ...

class WatchRecordsResponse(_message.Message):
    __slots__ = ["records", "skipped"]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[WatchedRecord]
    skipped: int
    def __init__(self, records: _Optional[_Iterable[_Union[WatchedRecord, _Mapping]]] = ..., skipped: _Optional[int] = ...) -> None: ...

class WatchedRecord(_message.Message):
    __slots__ = ["appid", "cut", "dropped", "event_name", "json", "omitted_members", "received_time", "refused", "repeated_id", "type", "verdict"]
    APPID_FIELD_NUMBER: _ClassVar[int]
    CUT_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    EVENT_NAME_FIELD_NUMBER: _ClassVar[int]
    JSON_FIELD_NUMBER: _ClassVar[int]
    OMITTED_MEMBERS_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_TIME_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    REPEATED_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    appid: str
    cut: _containers.RepeatedScalarFieldContainer[str]
    dropped: _containers.RepeatedCompositeFieldContainer[_record_pb2.DroppedProperty]
    event_name: str
    json: str
    omitted_members: int
    received_time: _timestamp_pb2.Timestamp
    refused: _record_pb2.RefusedRecord
    repeated_id: str
    type: str
    verdict: RecordVerdict
    def __init__(self, received_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., appid: _Optional[str] = ..., type: _Optional[str] = ..., event_name: _Optional[str] = ..., verdict: _Optional[_Union[RecordVerdict, str]] = ..., json: _Optional[str] = ..., cut: _Optional[_Iterable[str]] = ..., omitted_members: _Optional[int] = ..., dropped: _Optional[_Iterable[_Union[_record_pb2.DroppedProperty, _Mapping]]] = ..., refused: _Optional[_Union[_record_pb2.RefusedRecord, _Mapping]] = ..., repeated_id: _Optional[str] = ...) -> None: ...

class RecordVerdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
