from engage_client.gen.engage.analysis.v1 import column_pb2 as _column_pb2
from engage_client.gen.engage.analysis.v1 import filter_pb2 as _filter_pb2
from engage_client.gen.engage.gateway.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

AGGREGATION_ARRAY_DISTINCT: Aggregation
AGGREGATION_ARRAY_ITEM_DISTINCT: Aggregation
AGGREGATION_ARRAY_SET_DISTINCT: Aggregation
AGGREGATION_AVG: Aggregation
AGGREGATION_DISTINCT: Aggregation
AGGREGATION_FALSE: Aggregation
AGGREGATION_IS_EMPTY: Aggregation
AGGREGATION_IS_NOT_EMPTY: Aggregation
AGGREGATION_MAX: Aggregation
AGGREGATION_MEDIAN: Aggregation
AGGREGATION_MIN: Aggregation
AGGREGATION_PERCENTILE: Aggregation
AGGREGATION_PER_CAPITA_NUM: Aggregation
AGGREGATION_PER_CAPITA_TIMES: Aggregation
AGGREGATION_SUM: Aggregation
AGGREGATION_TOTAL_TIMES: Aggregation
AGGREGATION_TRIG_USER_NUM: Aggregation
AGGREGATION_TRUE: Aggregation
AGGREGATION_UNSPECIFIED: Aggregation
DESCRIPTOR: _descriptor.FileDescriptor
METRIC_TYPE_CUSTOMIZED: MetricType
METRIC_TYPE_NORMAL: MetricType
METRIC_TYPE_UNSPECIFIED: MetricType
QUOTA_TIME_RANGE_TYPE_LAST_DAYS: QuotaTimeRangeType
QUOTA_TIME_RANGE_TYPE_RECENT_DAYS: QuotaTimeRangeType
QUOTA_TIME_RANGE_TYPE_THIS_MONTH: QuotaTimeRangeType
QUOTA_TIME_RANGE_TYPE_THIS_WEEK: QuotaTimeRangeType
QUOTA_TIME_RANGE_TYPE_TIME_RANGE: QuotaTimeRangeType
QUOTA_TIME_RANGE_TYPE_UNSPECIFIED: QuotaTimeRangeType
VALUE_FORMAT_FLOAT: ValueFormat
VALUE_FORMAT_FLOAT3: ValueFormat
VALUE_FORMAT_FLOAT4: ValueFormat
VALUE_FORMAT_INTEGER: ValueFormat
VALUE_FORMAT_PERCENT: ValueFormat
VALUE_FORMAT_UNSPECIFIED: ValueFormat

class CustomFilter(_message.Message):
    __slots__ = ["filts", "index", "relation"]
    FILTS_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    filts: _containers.RepeatedCompositeFieldContainer[_filter_pb2.Filter]
    index: int
    relation: _filter_pb2.Relation
    def __init__(self, index: _Optional[int] = ..., filts: _Optional[_Iterable[_Union[_filter_pb2.Filter, _Mapping]]] = ..., relation: _Optional[_Union[_filter_pb2.Relation, str]] = ...) -> None: ...

class EventMetric(_message.Message):
    __slots__ = ["analysis", "analysis_params", "custom_event", "custom_filters", "event_name", "event_name_display", "event_split_indexes", "event_uuid", "filts", "format", "metric_name", "quota", "quota_desc", "quota_entities", "quota_time_ranges", "relation", "type"]
    ANALYSIS_FIELD_NUMBER: _ClassVar[int]
    ANALYSIS_PARAMS_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_EVENT_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_FILTERS_FIELD_NUMBER: _ClassVar[int]
    EVENT_NAME_DISPLAY_FIELD_NUMBER: _ClassVar[int]
    EVENT_NAME_FIELD_NUMBER: _ClassVar[int]
    EVENT_SPLIT_INDEXES_FIELD_NUMBER: _ClassVar[int]
    EVENT_UUID_FIELD_NUMBER: _ClassVar[int]
    FILTS_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    METRIC_NAME_FIELD_NUMBER: _ClassVar[int]
    QUOTA_DESC_FIELD_NUMBER: _ClassVar[int]
    QUOTA_ENTITIES_FIELD_NUMBER: _ClassVar[int]
    QUOTA_FIELD_NUMBER: _ClassVar[int]
    QUOTA_TIME_RANGES_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    analysis: Aggregation
    analysis_params: str
    custom_event: str
    custom_filters: _containers.RepeatedCompositeFieldContainer[CustomFilter]
    event_name: str
    event_name_display: str
    event_split_indexes: _containers.RepeatedScalarFieldContainer[int]
    event_uuid: str
    filts: _containers.RepeatedCompositeFieldContainer[_filter_pb2.Filter]
    format: ValueFormat
    metric_name: str
    quota: str
    quota_desc: str
    quota_entities: _containers.RepeatedCompositeFieldContainer[QuotaEntity]
    quota_time_ranges: _containers.RepeatedCompositeFieldContainer[QuotaTimeRange]
    relation: _filter_pb2.Relation
    type: MetricType
    def __init__(self, type: _Optional[_Union[MetricType, str]] = ..., event_name: _Optional[str] = ..., event_name_display: _Optional[str] = ..., event_uuid: _Optional[str] = ..., analysis: _Optional[_Union[Aggregation, str]] = ..., analysis_params: _Optional[str] = ..., metric_name: _Optional[str] = ..., filts: _Optional[_Iterable[_Union[_filter_pb2.Filter, _Mapping]]] = ..., relation: _Optional[_Union[_filter_pb2.Relation, str]] = ..., quota: _Optional[str] = ..., quota_desc: _Optional[str] = ..., quota_entities: _Optional[_Iterable[_Union[QuotaEntity, _Mapping]]] = ..., custom_event: _Optional[str] = ..., custom_filters: _Optional[_Iterable[_Union[CustomFilter, _Mapping]]] = ..., event_split_indexes: _Optional[_Iterable[int]] = ..., format: _Optional[_Union[ValueFormat, str]] = ..., quota_time_ranges: _Optional[_Iterable[_Union[QuotaTimeRange, _Mapping]]] = ...) -> None: ...

class QuotaEntity(_message.Message):
    __slots__ = ["index", "ta_id_measure"]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    TA_ID_MEASURE_FIELD_NUMBER: _ClassVar[int]
    index: int
    ta_id_measure: _column_pb2.EntityColumn
    def __init__(self, index: _Optional[int] = ..., ta_id_measure: _Optional[_Union[_column_pb2.EntityColumn, _Mapping]] = ...) -> None: ...

class QuotaTimeRange(_message.Message):
    __slots__ = ["index", "params", "type"]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    PARAMS_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    index: int
    params: _containers.RepeatedScalarFieldContainer[str]
    type: QuotaTimeRangeType
    def __init__(self, index: _Optional[int] = ..., type: _Optional[_Union[QuotaTimeRangeType, str]] = ..., params: _Optional[_Iterable[str]] = ...) -> None: ...

class MetricType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class Aggregation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class ValueFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class QuotaTimeRangeType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
