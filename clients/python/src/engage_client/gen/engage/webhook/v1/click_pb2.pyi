from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ReportClickRequest(_message.Message):
    __slots__ = ["account_id", "delivery_id", "distinct_id", "event_name", "ops_receipt_properties", "properties", "push_id", "raw_properties", "raw_receipt", "time", "uuid"]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_ID_FIELD_NUMBER: _ClassVar[int]
    DISTINCT_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_NAME_FIELD_NUMBER: _ClassVar[int]
    OPS_RECEIPT_PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    PUSH_ID_FIELD_NUMBER: _ClassVar[int]
    RAW_PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    RAW_RECEIPT_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    UUID_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    delivery_id: str
    distinct_id: str
    event_name: str
    ops_receipt_properties: _struct_pb2.Struct
    properties: _struct_pb2.Struct
    push_id: str
    raw_properties: bytes
    raw_receipt: bytes
    time: _timestamp_pb2.Timestamp
    uuid: str
    def __init__(self, delivery_id: _Optional[str] = ..., push_id: _Optional[str] = ..., account_id: _Optional[str] = ..., distinct_id: _Optional[str] = ..., event_name: _Optional[str] = ..., time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., ops_receipt_properties: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., raw_receipt: _Optional[bytes] = ..., properties: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., raw_properties: _Optional[bytes] = ..., uuid: _Optional[str] = ...) -> None: ...

class ReportClickResponse(_message.Message):
    __slots__ = ["event_name", "uuid"]
    EVENT_NAME_FIELD_NUMBER: _ClassVar[int]
    UUID_FIELD_NUMBER: _ClassVar[int]
    event_name: str
    uuid: str
    def __init__(self, uuid: _Optional[str] = ..., event_name: _Optional[str] = ...) -> None: ...
