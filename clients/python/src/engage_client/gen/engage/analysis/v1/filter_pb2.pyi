from engage_client.gen.engage.analysis.v1 import column_pb2 as _column_pb2
from engage_client.gen.engage.gateway.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

COMPARATOR_ARRAY_INCLUDE_ITEM: Comparator
COMPARATOR_ARRAY_IS_NULL: Comparator
COMPARATOR_ARRAY_ITEM_POS: Comparator
COMPARATOR_ARRAY_NOT_INCLUDE_ITEM: Comparator
COMPARATOR_ARRAY_NOT_NULL: Comparator
COMPARATOR_BELONG_TO_CLUSTER: Comparator
COMPARATOR_EQUAL: Comparator
COMPARATOR_GREATER: Comparator
COMPARATOR_INCLUDE: Comparator
COMPARATOR_IS_FALSE: Comparator
COMPARATOR_IS_NULL: Comparator
COMPARATOR_IS_TRUE: Comparator
COMPARATOR_LESS: Comparator
COMPARATOR_NOT_BELONG_TO_CLUSTER: Comparator
COMPARATOR_NOT_EQUAL: Comparator
COMPARATOR_NOT_INCLUDE: Comparator
COMPARATOR_NOT_NULL: Comparator
COMPARATOR_NOT_REGEX_MATCH: Comparator
COMPARATOR_RANGE: Comparator
COMPARATOR_REGEX_MATCH: Comparator
COMPARATOR_RELATIVE_CURRENT_BEFORE: Comparator
COMPARATOR_RELATIVE_CURRENT_BETWEEN: Comparator
COMPARATOR_RELATIVE_EVENT_ABSOLUTE: Comparator
COMPARATOR_RELATIVE_EVENT_AFTER: Comparator
COMPARATOR_RELATIVE_EVENT_BEFORE: Comparator
COMPARATOR_RELATIVE_EVENT_THAT_DAY: Comparator
COMPARATOR_UNSPECIFIED: Comparator
DESCRIPTOR: _descriptor.FileDescriptor
FILTER_TYPE_COMPOUND: FilterType
FILTER_TYPE_SIMPLE: FilterType
FILTER_TYPE_UNSPECIFIED: FilterType
RELATION_AND: Relation
RELATION_OR: Relation
RELATION_UNSPECIFIED: Relation
TIME_UNIT_DAY: TimeUnit
TIME_UNIT_HOUR: TimeUnit
TIME_UNIT_MINUTE: TimeUnit
TIME_UNIT_UNSPECIFIED: TimeUnit

class Filter(_message.Message):
    __slots__ = ["column_desc", "column_name", "comparator", "filter_type", "filts", "ftv", "relation", "specified_cluster_date", "sub_table_type", "table_type", "time_unit"]
    COLUMN_DESC_FIELD_NUMBER: _ClassVar[int]
    COLUMN_NAME_FIELD_NUMBER: _ClassVar[int]
    COMPARATOR_FIELD_NUMBER: _ClassVar[int]
    FILTER_TYPE_FIELD_NUMBER: _ClassVar[int]
    FILTS_FIELD_NUMBER: _ClassVar[int]
    FTV_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    SPECIFIED_CLUSTER_DATE_FIELD_NUMBER: _ClassVar[int]
    SUB_TABLE_TYPE_FIELD_NUMBER: _ClassVar[int]
    TABLE_TYPE_FIELD_NUMBER: _ClassVar[int]
    TIME_UNIT_FIELD_NUMBER: _ClassVar[int]
    column_desc: str
    column_name: str
    comparator: Comparator
    filter_type: FilterType
    filts: _containers.RepeatedCompositeFieldContainer[Filter]
    ftv: _containers.RepeatedScalarFieldContainer[str]
    relation: Relation
    specified_cluster_date: str
    sub_table_type: _column_pb2.SubTableType
    table_type: _column_pb2.TableType
    time_unit: TimeUnit
    def __init__(self, column_name: _Optional[str] = ..., column_desc: _Optional[str] = ..., comparator: _Optional[_Union[Comparator, str]] = ..., filter_type: _Optional[_Union[FilterType, str]] = ..., ftv: _Optional[_Iterable[str]] = ..., specified_cluster_date: _Optional[str] = ..., table_type: _Optional[_Union[_column_pb2.TableType, str]] = ..., sub_table_type: _Optional[_Union[_column_pb2.SubTableType, str]] = ..., time_unit: _Optional[_Union[TimeUnit, str]] = ..., relation: _Optional[_Union[Relation, str]] = ..., filts: _Optional[_Iterable[_Union[Filter, _Mapping]]] = ...) -> None: ...

class Relation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class FilterType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class TimeUnit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class Comparator(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
