from engage_client.gen.engage.analysis.v1 import column_pb2 as _column_pb2
from engage_client.gen.engage.analysis.v1 import filter_pb2 as _filter_pb2
from engage_client.gen.engage.gateway.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
TIME_PARTICLE_SIZE_DAY: TimeParticleSize
TIME_PARTICLE_SIZE_HOUR: TimeParticleSize
TIME_PARTICLE_SIZE_MINUTE: TimeParticleSize
TIME_PARTICLE_SIZE_MINUTE10: TimeParticleSize
TIME_PARTICLE_SIZE_MINUTE5: TimeParticleSize
TIME_PARTICLE_SIZE_MONTH: TimeParticleSize
TIME_PARTICLE_SIZE_QUARTER: TimeParticleSize
TIME_PARTICLE_SIZE_TOTAL: TimeParticleSize
TIME_PARTICLE_SIZE_UNSPECIFIED: TimeParticleSize
TIME_PARTICLE_SIZE_WEEK: TimeParticleSize
TIME_PARTICLE_SIZE_YEAR: TimeParticleSize

class EventSplit(_message.Message):
    __slots__ = ["event", "group_by_prop"]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    GROUP_BY_PROP_FIELD_NUMBER: _ClassVar[int]
    event: SplitEvent
    group_by_prop: _column_pb2.GroupBy
    def __init__(self, event: _Optional[_Union[SplitEvent, _Mapping]] = ..., group_by_prop: _Optional[_Union[_column_pb2.GroupBy, _Mapping]] = ...) -> None: ...

class EventView(_message.Message):
    __slots__ = ["compared_by_time", "compared_end_time", "compared_recent_day", "compared_start_time", "end_time", "event_split", "filts", "group_by", "query_feature", "recent_day", "relation", "start_time", "time_particle_size"]
    COMPARED_BY_TIME_FIELD_NUMBER: _ClassVar[int]
    COMPARED_END_TIME_FIELD_NUMBER: _ClassVar[int]
    COMPARED_RECENT_DAY_FIELD_NUMBER: _ClassVar[int]
    COMPARED_START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    EVENT_SPLIT_FIELD_NUMBER: _ClassVar[int]
    FILTS_FIELD_NUMBER: _ClassVar[int]
    GROUP_BY_FIELD_NUMBER: _ClassVar[int]
    QUERY_FEATURE_FIELD_NUMBER: _ClassVar[int]
    RECENT_DAY_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    TIME_PARTICLE_SIZE_FIELD_NUMBER: _ClassVar[int]
    compared_by_time: bool
    compared_end_time: str
    compared_recent_day: str
    compared_start_time: str
    end_time: str
    event_split: EventSplit
    filts: _containers.RepeatedCompositeFieldContainer[_filter_pb2.Filter]
    group_by: _containers.RepeatedCompositeFieldContainer[_column_pb2.GroupBy]
    query_feature: QueryFeature
    recent_day: str
    relation: _filter_pb2.Relation
    start_time: str
    time_particle_size: TimeParticleSize
    def __init__(self, compared_by_time: bool = ..., compared_start_time: _Optional[str] = ..., compared_end_time: _Optional[str] = ..., compared_recent_day: _Optional[str] = ..., start_time: _Optional[str] = ..., end_time: _Optional[str] = ..., recent_day: _Optional[str] = ..., relation: _Optional[_Union[_filter_pb2.Relation, str]] = ..., time_particle_size: _Optional[_Union[TimeParticleSize, str]] = ..., event_split: _Optional[_Union[EventSplit, _Mapping]] = ..., group_by: _Optional[_Iterable[_Union[_column_pb2.GroupBy, _Mapping]]] = ..., filts: _Optional[_Iterable[_Union[_filter_pb2.Filter, _Mapping]]] = ..., query_feature: _Optional[_Union[QueryFeature, _Mapping]] = ...) -> None: ...

class QueryFeature(_message.Message):
    __slots__ = ["approximate_on", "global_query_on"]
    APPROXIMATE_ON_FIELD_NUMBER: _ClassVar[int]
    GLOBAL_QUERY_ON_FIELD_NUMBER: _ClassVar[int]
    approximate_on: bool
    global_query_on: bool
    def __init__(self, approximate_on: bool = ..., global_query_on: bool = ...) -> None: ...

class SplitEvent(_message.Message):
    __slots__ = ["event_desc", "event_name"]
    EVENT_DESC_FIELD_NUMBER: _ClassVar[int]
    EVENT_NAME_FIELD_NUMBER: _ClassVar[int]
    event_desc: str
    event_name: str
    def __init__(self, event_name: _Optional[str] = ..., event_desc: _Optional[str] = ...) -> None: ...

class TimeParticleSize(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
