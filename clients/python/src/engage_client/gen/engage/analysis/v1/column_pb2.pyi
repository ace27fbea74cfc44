from engage_client.gen.engage.gateway.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
PROPERTY_RANGE_TYPE_CUSTOM: PropertyRangeType
PROPERTY_RANGE_TYPE_DEF: PropertyRangeType
PROPERTY_RANGE_TYPE_DISCRETE: PropertyRangeType
PROPERTY_RANGE_TYPE_UNSPECIFIED: PropertyRangeType
SUB_TABLE_TYPE_CLUSTER_BY_IMPORT: SubTableType
SUB_TABLE_TYPE_CLUSTER_BY_RESULT: SubTableType
SUB_TABLE_TYPE_CLUSTER_BY_STATIC_CONDITION: SubTableType
SUB_TABLE_TYPE_TAG_BY_DYNAMIC_CONDITION: SubTableType
SUB_TABLE_TYPE_UNSPECIFIED: SubTableType
SUB_TABLE_TYPE_VPROP_DICT: SubTableType
TABLE_TYPE_CLUSTER: TableType
TABLE_TYPE_EVENT: TableType
TABLE_TYPE_UNSPECIFIED: TableType
TABLE_TYPE_USER: TableType
TABLE_TYPE_USER_CLUSTER: TableType

class EntityColumn(_message.Message):
    __slots__ = ["column_desc", "column_name", "table_type"]
    COLUMN_DESC_FIELD_NUMBER: _ClassVar[int]
    COLUMN_NAME_FIELD_NUMBER: _ClassVar[int]
    TABLE_TYPE_FIELD_NUMBER: _ClassVar[int]
    column_desc: str
    column_name: str
    table_type: TableType
    def __init__(self, column_name: _Optional[str] = ..., column_desc: _Optional[str] = ..., table_type: _Optional[_Union[TableType, str]] = ...) -> None: ...

class GroupBy(_message.Message):
    __slots__ = ["column_desc", "column_name", "property_range", "property_range_type", "specified_cluster_date", "sub_table_type", "table_type"]
    COLUMN_DESC_FIELD_NUMBER: _ClassVar[int]
    COLUMN_NAME_FIELD_NUMBER: _ClassVar[int]
    PROPERTY_RANGE_FIELD_NUMBER: _ClassVar[int]
    PROPERTY_RANGE_TYPE_FIELD_NUMBER: _ClassVar[int]
    SPECIFIED_CLUSTER_DATE_FIELD_NUMBER: _ClassVar[int]
    SUB_TABLE_TYPE_FIELD_NUMBER: _ClassVar[int]
    TABLE_TYPE_FIELD_NUMBER: _ClassVar[int]
    column_desc: str
    column_name: str
    property_range: str
    property_range_type: PropertyRangeType
    specified_cluster_date: str
    sub_table_type: SubTableType
    table_type: TableType
    def __init__(self, column_name: _Optional[str] = ..., column_desc: _Optional[str] = ..., property_range: _Optional[str] = ..., property_range_type: _Optional[_Union[PropertyRangeType, str]] = ..., specified_cluster_date: _Optional[str] = ..., table_type: _Optional[_Union[TableType, str]] = ..., sub_table_type: _Optional[_Union[SubTableType, str]] = ...) -> None: ...

class TableType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class SubTableType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class PropertyRangeType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
