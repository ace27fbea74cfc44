from engage_client.gen.engage.analysis.v1 import event_metric_pb2 as _event_metric_pb2
from engage_client.gen.engage.analysis.v1 import event_view_pb2 as _event_view_pb2
from engage_client.gen.engage.analysis.v1 import result_pb2 as _result_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EventDownloadQuery(_message.Message):
    __slots__ = ["event_view", "events", "ignored_fields", "project_id", "zone_offset"]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    EVENT_VIEW_FIELD_NUMBER: _ClassVar[int]
    IGNORED_FIELDS_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    ZONE_OFFSET_FIELD_NUMBER: _ClassVar[int]
    event_view: _event_view_pb2.EventView
    events: _containers.RepeatedCompositeFieldContainer[_event_metric_pb2.EventMetric]
    ignored_fields: _containers.RepeatedScalarFieldContainer[str]
    project_id: int
    zone_offset: float
    def __init__(self, project_id: _Optional[int] = ..., event_view: _Optional[_Union[_event_view_pb2.EventView, _Mapping]] = ..., events: _Optional[_Iterable[_Union[_event_metric_pb2.EventMetric, _Mapping]]] = ..., zone_offset: _Optional[float] = ..., ignored_fields: _Optional[_Iterable[str]] = ...) -> None: ...

class EventQuery(_message.Message):
    __slots__ = ["event_view", "events", "ignored_fields", "limit", "project_id", "timeout_seconds", "use_cache", "use_same_result_key", "zone_offset"]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    EVENT_VIEW_FIELD_NUMBER: _ClassVar[int]
    IGNORED_FIELDS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    USE_CACHE_FIELD_NUMBER: _ClassVar[int]
    USE_SAME_RESULT_KEY_FIELD_NUMBER: _ClassVar[int]
    ZONE_OFFSET_FIELD_NUMBER: _ClassVar[int]
    event_view: _event_view_pb2.EventView
    events: _containers.RepeatedCompositeFieldContainer[_event_metric_pb2.EventMetric]
    ignored_fields: _containers.RepeatedScalarFieldContainer[str]
    limit: int
    project_id: int
    timeout_seconds: int
    use_cache: bool
    use_same_result_key: bool
    zone_offset: float
    def __init__(self, project_id: _Optional[int] = ..., event_view: _Optional[_Union[_event_view_pb2.EventView, _Mapping]] = ..., events: _Optional[_Iterable[_Union[_event_metric_pb2.EventMetric, _Mapping]]] = ..., use_same_result_key: bool = ..., use_cache: bool = ..., limit: _Optional[int] = ..., timeout_seconds: _Optional[int] = ..., zone_offset: _Optional[float] = ..., ignored_fields: _Optional[_Iterable[str]] = ...) -> None: ...

class EventUserDownloadQuery(_message.Message):
    __slots__ = ["event_date", "event_index", "event_view", "events", "ignored_fields", "project_id", "selected_columns", "slice_date", "slice_group_val", "zone_offset"]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    EVENT_DATE_FIELD_NUMBER: _ClassVar[int]
    EVENT_INDEX_FIELD_NUMBER: _ClassVar[int]
    EVENT_VIEW_FIELD_NUMBER: _ClassVar[int]
    IGNORED_FIELDS_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    SELECTED_COLUMNS_FIELD_NUMBER: _ClassVar[int]
    SLICE_DATE_FIELD_NUMBER: _ClassVar[int]
    SLICE_GROUP_VAL_FIELD_NUMBER: _ClassVar[int]
    ZONE_OFFSET_FIELD_NUMBER: _ClassVar[int]
    event_date: str
    event_index: int
    event_view: _event_view_pb2.EventView
    events: _containers.RepeatedCompositeFieldContainer[_event_metric_pb2.EventMetric]
    ignored_fields: _containers.RepeatedScalarFieldContainer[str]
    project_id: int
    selected_columns: _containers.RepeatedScalarFieldContainer[str]
    slice_date: str
    slice_group_val: _containers.RepeatedCompositeFieldContainer[_result_pb2.GroupValue]
    zone_offset: float
    def __init__(self, project_id: _Optional[int] = ..., event_view: _Optional[_Union[_event_view_pb2.EventView, _Mapping]] = ..., events: _Optional[_Iterable[_Union[_event_metric_pb2.EventMetric, _Mapping]]] = ..., slice_date: _Optional[str] = ..., slice_group_val: _Optional[_Iterable[_Union[_result_pb2.GroupValue, _Mapping]]] = ..., event_index: _Optional[int] = ..., selected_columns: _Optional[_Iterable[str]] = ..., zone_offset: _Optional[float] = ..., event_date: _Optional[str] = ..., ignored_fields: _Optional[_Iterable[str]] = ...) -> None: ...

class EventUserQuery(_message.Message):
    __slots__ = ["event_index", "event_view", "events", "ignored_fields", "project_id", "slice_date", "slice_group_val", "timeout_seconds", "zone_offset"]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    EVENT_INDEX_FIELD_NUMBER: _ClassVar[int]
    EVENT_VIEW_FIELD_NUMBER: _ClassVar[int]
    IGNORED_FIELDS_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    SLICE_DATE_FIELD_NUMBER: _ClassVar[int]
    SLICE_GROUP_VAL_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ZONE_OFFSET_FIELD_NUMBER: _ClassVar[int]
    event_index: int
    event_view: _event_view_pb2.EventView
    events: _containers.RepeatedCompositeFieldContainer[_event_metric_pb2.EventMetric]
    ignored_fields: _containers.RepeatedScalarFieldContainer[str]
    project_id: int
    slice_date: str
    slice_group_val: _containers.RepeatedCompositeFieldContainer[_result_pb2.GroupValue]
    timeout_seconds: int
    zone_offset: float
    def __init__(self, project_id: _Optional[int] = ..., event_view: _Optional[_Union[_event_view_pb2.EventView, _Mapping]] = ..., events: _Optional[_Iterable[_Union[_event_metric_pb2.EventMetric, _Mapping]]] = ..., slice_date: _Optional[str] = ..., slice_group_val: _Optional[_Iterable[_Union[_result_pb2.GroupValue, _Mapping]]] = ..., event_index: _Optional[int] = ..., timeout_seconds: _Optional[int] = ..., zone_offset: _Optional[float] = ..., ignored_fields: _Optional[_Iterable[str]] = ...) -> None: ...
