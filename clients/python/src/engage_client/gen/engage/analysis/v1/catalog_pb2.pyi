from engage_client.gen.engage.analysis.v1 import event_metric_pb2 as _event_metric_pb2
from engage_client.gen.engage.gateway.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
EVENT_ORDER_COUNT: EventOrder
EVENT_ORDER_NAME: EventOrder
EVENT_ORDER_UNSPECIFIED: EventOrder
PROJECT_ENGINE_EMBEDDED: ProjectEngine
PROJECT_ENGINE_PLATFORM: ProjectEngine
PROJECT_ENGINE_UNSPECIFIED: ProjectEngine
PROPERTY_KIND_CUSTOM: PropertyKind
PROPERTY_KIND_DIMENSION: PropertyKind
PROPERTY_KIND_PRESET: PropertyKind
PROPERTY_KIND_UNSPECIFIED: PropertyKind
PROPERTY_KIND_VIRTUAL: PropertyKind
PROPERTY_TABLE_EVENT: PropertyTable
PROPERTY_TABLE_UNSPECIFIED: PropertyTable
PROPERTY_TABLE_USER: PropertyTable
PROPERTY_TYPE_BOOLEAN: PropertyType
PROPERTY_TYPE_LIST: PropertyType
PROPERTY_TYPE_NUMBER: PropertyType
PROPERTY_TYPE_OBJECT: PropertyType
PROPERTY_TYPE_OBJECT_GROUP: PropertyType
PROPERTY_TYPE_TEXT: PropertyType
PROPERTY_TYPE_TIME: PropertyType
PROPERTY_TYPE_UNSPECIFIED: PropertyType

class CatalogProperty(_message.Message):
    __slots__ = ["count", "display_name", "event_count", "events", "group", "kind", "name", "table", "type"]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    EVENT_COUNT_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    count: int
    display_name: str
    event_count: int
    events: _containers.RepeatedScalarFieldContainer[str]
    group: str
    kind: PropertyKind
    name: str
    table: PropertyTable
    type: PropertyType
    def __init__(self, name: _Optional[str] = ..., table: _Optional[_Union[PropertyTable, str]] = ..., kind: _Optional[_Union[PropertyKind, str]] = ..., type: _Optional[_Union[PropertyType, str]] = ..., group: _Optional[str] = ..., display_name: _Optional[str] = ..., count: _Optional[int] = ..., event_count: _Optional[int] = ..., events: _Optional[_Iterable[str]] = ...) -> None: ...

class DimensionColumn(_message.Message):
    __slots__ = ["column", "display_name", "name", "property", "table", "value_count"]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROPERTY_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    VALUE_COUNT_FIELD_NUMBER: _ClassVar[int]
    column: str
    display_name: str
    name: str
    property: str
    table: PropertyTable
    value_count: int
    def __init__(self, name: _Optional[str] = ..., property: _Optional[str] = ..., table: _Optional[_Union[PropertyTable, str]] = ..., column: _Optional[str] = ..., value_count: _Optional[int] = ..., display_name: _Optional[str] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ["count", "first_day", "last_day", "name", "properties", "property_count"]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    FIRST_DAY_FIELD_NUMBER: _ClassVar[int]
    LAST_DAY_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    PROPERTY_COUNT_FIELD_NUMBER: _ClassVar[int]
    count: int
    first_day: str
    last_day: str
    name: str
    properties: _containers.RepeatedCompositeFieldContainer[EventProperty]
    property_count: int
    def __init__(self, name: _Optional[str] = ..., count: _Optional[int] = ..., first_day: _Optional[str] = ..., last_day: _Optional[str] = ..., property_count: _Optional[int] = ..., properties: _Optional[_Iterable[_Union[EventProperty, _Mapping]]] = ...) -> None: ...

class EventProperty(_message.Message):
    __slots__ = ["count", "display_name", "name", "type"]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    count: int
    display_name: str
    name: str
    type: PropertyType
    def __init__(self, name: _Optional[str] = ..., type: _Optional[_Union[PropertyType, str]] = ..., count: _Optional[int] = ..., display_name: _Optional[str] = ...) -> None: ...

class GetEventRequest(_message.Message):
    __slots__ = ["event", "project_id", "token"]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    event: str
    project_id: int
    token: str
    def __init__(self, token: _Optional[str] = ..., project_id: _Optional[int] = ..., event: _Optional[str] = ...) -> None: ...

class GetEventResponse(_message.Message):
    __slots__ = ["event"]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    event: Event
    def __init__(self, event: _Optional[_Union[Event, _Mapping]] = ...) -> None: ...

class ListDimensionsRequest(_message.Message):
    __slots__ = ["project_id", "token"]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    project_id: int
    token: str
    def __init__(self, token: _Optional[str] = ..., project_id: _Optional[int] = ...) -> None: ...

class ListDimensionsResponse(_message.Message):
    __slots__ = ["columns"]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    columns: _containers.RepeatedCompositeFieldContainer[DimensionColumn]
    def __init__(self, columns: _Optional[_Iterable[_Union[DimensionColumn, _Mapping]]] = ...) -> None: ...

class ListEventsRequest(_message.Message):
    __slots__ = ["order", "page_size", "page_token", "prefix", "project_id", "token", "with_properties"]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    WITH_PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    order: EventOrder
    page_size: int
    page_token: str
    prefix: str
    project_id: int
    token: str
    with_properties: bool
    def __init__(self, token: _Optional[str] = ..., project_id: _Optional[int] = ..., prefix: _Optional[str] = ..., order: _Optional[_Union[EventOrder, str]] = ..., with_properties: bool = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListEventsResponse(_message.Message):
    __slots__ = ["events", "next_page_token"]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[Event]
    next_page_token: str
    def __init__(self, events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListMetricsRequest(_message.Message):
    __slots__ = ["project_id", "token"]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    project_id: int
    token: str
    def __init__(self, token: _Optional[str] = ..., project_id: _Optional[int] = ...) -> None: ...

class ListMetricsResponse(_message.Message):
    __slots__ = ["metrics"]
    METRICS_FIELD_NUMBER: _ClassVar[int]
    metrics: _containers.RepeatedCompositeFieldContainer[NamedMetric]
    def __init__(self, metrics: _Optional[_Iterable[_Union[NamedMetric, _Mapping]]] = ...) -> None: ...

class ListProjectsRequest(_message.Message):
    __slots__ = ["token"]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    token: str
    def __init__(self, token: _Optional[str] = ...) -> None: ...

class ListProjectsResponse(_message.Message):
    __slots__ = ["projects"]
    PROJECTS_FIELD_NUMBER: _ClassVar[int]
    projects: _containers.RepeatedCompositeFieldContainer[Project]
    def __init__(self, projects: _Optional[_Iterable[_Union[Project, _Mapping]]] = ...) -> None: ...

class ListPropertiesRequest(_message.Message):
    __slots__ = ["event", "kind", "page_size", "page_token", "prefix", "project_id", "table", "token"]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    event: str
    kind: PropertyKind
    page_size: int
    page_token: str
    prefix: str
    project_id: int
    table: PropertyTable
    token: str
    def __init__(self, token: _Optional[str] = ..., project_id: _Optional[int] = ..., table: _Optional[_Union[PropertyTable, str]] = ..., event: _Optional[str] = ..., prefix: _Optional[str] = ..., kind: _Optional[_Union[PropertyKind, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListPropertiesResponse(_message.Message):
    __slots__ = ["next_page_token", "properties"]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    next_page_token: str
    properties: _containers.RepeatedCompositeFieldContainer[CatalogProperty]
    def __init__(self, properties: _Optional[_Iterable[_Union[CatalogProperty, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListPropertyValuesRequest(_message.Message):
    __slots__ = ["event", "from_day", "page_size", "page_token", "prefix", "project_id", "property", "table", "to_day", "token"]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    FROM_DAY_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PREFIX_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    PROPERTY_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    TO_DAY_FIELD_NUMBER: _ClassVar[int]
    event: str
    from_day: str
    page_size: int
    page_token: str
    prefix: str
    project_id: int
    property: str
    table: PropertyTable
    to_day: str
    token: str
    def __init__(self, token: _Optional[str] = ..., project_id: _Optional[int] = ..., property: _Optional[str] = ..., table: _Optional[_Union[PropertyTable, str]] = ..., event: _Optional[str] = ..., from_day: _Optional[str] = ..., to_day: _Optional[str] = ..., prefix: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListPropertyValuesResponse(_message.Message):
    __slots__ = ["count", "next_page_token", "type", "values", "with_value"]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    WITH_VALUE_FIELD_NUMBER: _ClassVar[int]
    count: int
    next_page_token: str
    type: PropertyType
    values: _containers.RepeatedCompositeFieldContainer[PropertyValue]
    with_value: int
    def __init__(self, values: _Optional[_Iterable[_Union[PropertyValue, _Mapping]]] = ..., count: _Optional[int] = ..., with_value: _Optional[int] = ..., type: _Optional[_Union[PropertyType, str]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class NamedMetric(_message.Message):
    __slots__ = ["metric", "name"]
    METRIC_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    metric: _event_metric_pb2.EventMetric
    name: str
    def __init__(self, name: _Optional[str] = ..., metric: _Optional[_Union[_event_metric_pb2.EventMetric, _Mapping]] = ...) -> None: ...

class Project(_message.Message):
    __slots__ = ["engine", "project_id", "zone"]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    ZONE_FIELD_NUMBER: _ClassVar[int]
    engine: ProjectEngine
    project_id: int
    zone: str
    def __init__(self, project_id: _Optional[int] = ..., engine: _Optional[_Union[ProjectEngine, str]] = ..., zone: _Optional[str] = ...) -> None: ...

class PropertyValue(_message.Message):
    __slots__ = ["count", "share", "value"]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    count: int
    share: float
    value: str
    def __init__(self, value: _Optional[str] = ..., count: _Optional[int] = ..., share: _Optional[float] = ...) -> None: ...

class ProjectEngine(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class EventOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class PropertyType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class PropertyTable(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class PropertyKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
