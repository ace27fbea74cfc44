from engage_client.gen.engage.analysis.v1 import event_metric_pb2 as _event_metric_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
WARNING_REASON_IGNORED_FIELD: WarningReason
WARNING_REASON_NOT_LOADED: WarningReason
WARNING_REASON_NO_EFFECT: WarningReason
WARNING_REASON_ROUNDED: WarningReason
WARNING_REASON_TRUNCATED: WarningReason
WARNING_REASON_UNKNOWN_NAME: WarningReason
WARNING_REASON_UNSPECIFIED: WarningReason

class AnswerInfo(_message.Message):
    __slots__ = ["approximate", "cached", "compared_range", "range", "truncated", "warnings", "zone"]
    APPROXIMATE_FIELD_NUMBER: _ClassVar[int]
    CACHED_FIELD_NUMBER: _ClassVar[int]
    COMPARED_RANGE_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    ZONE_FIELD_NUMBER: _ClassVar[int]
    approximate: bool
    cached: bool
    compared_range: ResolvedRange
    range: ResolvedRange
    truncated: bool
    warnings: _containers.RepeatedCompositeFieldContainer[Warning]
    zone: Zone
    def __init__(self, range: _Optional[_Union[ResolvedRange, _Mapping]] = ..., compared_range: _Optional[_Union[ResolvedRange, _Mapping]] = ..., zone: _Optional[_Union[Zone, _Mapping]] = ..., cached: bool = ..., approximate: bool = ..., truncated: bool = ..., warnings: _Optional[_Iterable[_Union[Warning, _Mapping]]] = ...) -> None: ...

class Column(_message.Message):
    __slots__ = ["display_name", "name"]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    display_name: str
    name: str
    def __init__(self, name: _Optional[str] = ..., display_name: _Optional[str] = ...) -> None: ...

class EventAnalysis(_message.Message):
    __slots__ = ["info", "result_generate_time", "union_group_num", "union_groups", "x", "x_compared", "y"]
    INFO_FIELD_NUMBER: _ClassVar[int]
    RESULT_GENERATE_TIME_FIELD_NUMBER: _ClassVar[int]
    UNION_GROUPS_FIELD_NUMBER: _ClassVar[int]
    UNION_GROUP_NUM_FIELD_NUMBER: _ClassVar[int]
    X_COMPARED_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    info: AnswerInfo
    result_generate_time: _timestamp_pb2.Timestamp
    union_group_num: int
    union_groups: _containers.RepeatedCompositeFieldContainer[Group]
    x: _containers.RepeatedCompositeFieldContainer[TimeBucket]
    x_compared: _containers.RepeatedCompositeFieldContainer[TimeBucket]
    y: _containers.RepeatedCompositeFieldContainer[MetricResult]
    def __init__(self, result_generate_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., union_groups: _Optional[_Iterable[_Union[Group, _Mapping]]] = ..., union_group_num: _Optional[int] = ..., x: _Optional[_Iterable[_Union[TimeBucket, _Mapping]]] = ..., x_compared: _Optional[_Iterable[_Union[TimeBucket, _Mapping]]] = ..., y: _Optional[_Iterable[_Union[MetricResult, _Mapping]]] = ..., info: _Optional[_Union[AnswerInfo, _Mapping]] = ...) -> None: ...

class Group(_message.Message):
    __slots__ = ["group_cols"]
    GROUP_COLS_FIELD_NUMBER: _ClassVar[int]
    group_cols: _containers.RepeatedCompositeFieldContainer[GroupValue]
    def __init__(self, group_cols: _Optional[_Iterable[_Union[GroupValue, _Mapping]]] = ...) -> None: ...

class GroupEntry(_message.Message):
    __slots__ = ["group_cols", "values", "values_compared"]
    GROUP_COLS_FIELD_NUMBER: _ClassVar[int]
    VALUES_COMPARED_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    group_cols: _containers.RepeatedCompositeFieldContainer[GroupValue]
    values: Series
    values_compared: Series
    def __init__(self, group_cols: _Optional[_Iterable[_Union[GroupValue, _Mapping]]] = ..., values: _Optional[_Union[Series, _Mapping]] = ..., values_compared: _Optional[_Union[Series, _Mapping]] = ...) -> None: ...

class GroupValue(_message.Message):
    __slots__ = ["label", "null_value"]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    NULL_VALUE_FIELD_NUMBER: _ClassVar[int]
    label: str
    null_value: _struct_pb2.NullValue
    def __init__(self, label: _Optional[str] = ..., null_value: _Optional[_Union[_struct_pb2.NullValue, str]] = ...) -> None: ...

class MetricResult(_message.Message):
    __slots__ = ["display_name", "entries", "event_index", "event_uuid", "format", "group_num", "result_key", "split_value"]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    EVENT_INDEX_FIELD_NUMBER: _ClassVar[int]
    EVENT_UUID_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    GROUP_NUM_FIELD_NUMBER: _ClassVar[int]
    RESULT_KEY_FIELD_NUMBER: _ClassVar[int]
    SPLIT_VALUE_FIELD_NUMBER: _ClassVar[int]
    display_name: str
    entries: _containers.RepeatedCompositeFieldContainer[GroupEntry]
    event_index: int
    event_uuid: str
    format: _event_metric_pb2.ValueFormat
    group_num: int
    result_key: str
    split_value: GroupValue
    def __init__(self, result_key: _Optional[str] = ..., event_index: _Optional[int] = ..., event_uuid: _Optional[str] = ..., display_name: _Optional[str] = ..., split_value: _Optional[_Union[GroupValue, _Mapping]] = ..., format: _Optional[_Union[_event_metric_pb2.ValueFormat, str]] = ..., group_num: _Optional[int] = ..., entries: _Optional[_Iterable[_Union[GroupEntry, _Mapping]]] = ...) -> None: ...

class ResolvedRange(_message.Message):
    __slots__ = ["end", "end_time", "start", "start_time"]
    END_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    end: _timestamp_pb2.Timestamp
    end_time: str
    start: _timestamp_pb2.Timestamp
    start_time: str
    def __init__(self, start_time: _Optional[str] = ..., end_time: _Optional[str] = ..., start: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., end: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Series(_message.Message):
    __slots__ = ["missing", "numbers"]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    NUMBERS_FIELD_NUMBER: _ClassVar[int]
    missing: _containers.RepeatedScalarFieldContainer[int]
    numbers: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, numbers: _Optional[_Iterable[float]] = ..., missing: _Optional[_Iterable[int]] = ...) -> None: ...

class TimeBucket(_message.Message):
    __slots__ = ["end", "label", "start"]
    END_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    end: _timestamp_pb2.Timestamp
    label: str
    start: _timestamp_pb2.Timestamp
    def __init__(self, label: _Optional[str] = ..., start: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., end: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class User(_message.Message):
    __slots__ = ["account_id", "distinct_id", "properties", "user_id"]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    DISTINCT_ID_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    distinct_id: str
    properties: _struct_pb2.Struct
    user_id: str
    def __init__(self, user_id: _Optional[str] = ..., account_id: _Optional[str] = ..., distinct_id: _Optional[str] = ..., properties: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class UserList(_message.Message):
    __slots__ = ["colum_meta", "datalist", "info"]
    class ColumMetaEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    COLUM_META_FIELD_NUMBER: _ClassVar[int]
    DATALIST_FIELD_NUMBER: _ClassVar[int]
    INFO_FIELD_NUMBER: _ClassVar[int]
    colum_meta: _containers.ScalarMap[str, str]
    datalist: _containers.RepeatedCompositeFieldContainer[User]
    info: AnswerInfo
    def __init__(self, datalist: _Optional[_Iterable[_Union[User, _Mapping]]] = ..., colum_meta: _Optional[_Mapping[str, str]] = ..., info: _Optional[_Union[AnswerInfo, _Mapping]] = ...) -> None: ...

class Warning(_message.Message):
    __slots__ = ["field", "message", "reason"]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    field: str
    message: str
    reason: WarningReason
    def __init__(self, reason: _Optional[_Union[WarningReason, str]] = ..., field: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class Zone(_message.Message):
    __slots__ = ["name", "offset_hours"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    OFFSET_HOURS_FIELD_NUMBER: _ClassVar[int]
    name: str
    offset_hours: float
    def __init__(self, offset_hours: _Optional[float] = ..., name: _Optional[str] = ...) -> None: ...

class WarningReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
