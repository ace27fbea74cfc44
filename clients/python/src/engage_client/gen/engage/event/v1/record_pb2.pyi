from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
DROP_REASON_DOUBLE: DropReason
DROP_REASON_NAME: DropReason
DROP_REASON_NAME_RATE: DropReason
DROP_REASON_NUMBER_RANGE: DropReason
DROP_REASON_PROPERTY_LIMIT: DropReason
DROP_REASON_RANGE: DropReason
DROP_REASON_RESERVED: DropReason
DROP_REASON_ROOT_KEY: DropReason
DROP_REASON_TOO_DEEP: DropReason
DROP_REASON_TOO_LONG: DropReason
DROP_REASON_TOO_MANY: DropReason
DROP_REASON_TYPE: DropReason
DROP_REASON_UNSPECIFIED: DropReason
RECORD_TYPE_TRACK: RecordType
RECORD_TYPE_TRACK_OVERWRITE: RecordType
RECORD_TYPE_TRACK_UPDATE: RecordType
RECORD_TYPE_UNSPECIFIED: RecordType
RECORD_TYPE_USER_ADD: RecordType
RECORD_TYPE_USER_APPEND: RecordType
RECORD_TYPE_USER_DEL: RecordType
RECORD_TYPE_USER_SET: RecordType
RECORD_TYPE_USER_SET_ONCE: RecordType
RECORD_TYPE_USER_UNIQ_APPEND: RecordType
RECORD_TYPE_USER_UNSET: RecordType
REFUSAL_REASON_EVENT_ID: RefusalReason
REFUSAL_REASON_EVENT_LIMIT: RefusalReason
REFUSAL_REASON_EVENT_NAME: RefusalReason
REFUSAL_REASON_ID: RefusalReason
REFUSAL_REASON_NAME_RATE: RefusalReason
REFUSAL_REASON_NOT_AN_OBJECT: RefusalReason
REFUSAL_REASON_NOT_JSON: RefusalReason
REFUSAL_REASON_NO_ID: RefusalReason
REFUSAL_REASON_PROPERTIES: RefusalReason
REFUSAL_REASON_PROPERTY_NAME: RefusalReason
REFUSAL_REASON_TIME_FORMAT: RefusalReason
REFUSAL_REASON_TIME_TOO_NEW: RefusalReason
REFUSAL_REASON_TIME_TOO_OLD: RefusalReason
REFUSAL_REASON_TOO_LARGE: RefusalReason
REFUSAL_REASON_TYPE: RefusalReason
REFUSAL_REASON_UNSPECIFIED: RefusalReason

class AcceptedRecord(_message.Message):
    __slots__ = ["dropped"]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    dropped: _containers.RepeatedCompositeFieldContainer[DroppedProperty]
    def __init__(self, dropped: _Optional[_Iterable[_Union[DroppedProperty, _Mapping]]] = ...) -> None: ...

class DroppedProperty(_message.Message):
    __slots__ = ["message", "name", "reason"]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    message: str
    name: str
    reason: DropReason
    def __init__(self, name: _Optional[str] = ..., reason: _Optional[_Union[DropReason, str]] = ..., message: _Optional[str] = ...) -> None: ...

class Record(_message.Message):
    __slots__ = ["account_id", "app_id", "distinct_id", "event_id", "event_name", "first_check_id", "ip", "properties", "time", "type", "uuid"]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    APP_ID_FIELD_NUMBER: _ClassVar[int]
    DISTINCT_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_NAME_FIELD_NUMBER: _ClassVar[int]
    FIRST_CHECK_ID_FIELD_NUMBER: _ClassVar[int]
    IP_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    UUID_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    app_id: str
    distinct_id: str
    event_id: str
    event_name: str
    first_check_id: str
    ip: str
    properties: _struct_pb2.Struct
    time: _timestamp_pb2.Timestamp
    type: RecordType
    uuid: str
    def __init__(self, type: _Optional[_Union[RecordType, str]] = ..., time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., event_name: _Optional[str] = ..., account_id: _Optional[str] = ..., distinct_id: _Optional[str] = ..., uuid: _Optional[str] = ..., ip: _Optional[str] = ..., app_id: _Optional[str] = ..., event_id: _Optional[str] = ..., first_check_id: _Optional[str] = ..., properties: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class RecordResult(_message.Message):
    __slots__ = ["accepted", "refused"]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    accepted: AcceptedRecord
    refused: RefusedRecord
    def __init__(self, accepted: _Optional[_Union[AcceptedRecord, _Mapping]] = ..., refused: _Optional[_Union[RefusedRecord, _Mapping]] = ...) -> None: ...

class RefusedRecord(_message.Message):
    __slots__ = ["field", "message", "reason"]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    field: str
    message: str
    reason: RefusalReason
    def __init__(self, reason: _Optional[_Union[RefusalReason, str]] = ..., field: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class RecordType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class DropReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class RefusalReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
