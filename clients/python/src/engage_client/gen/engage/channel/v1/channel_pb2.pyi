from engage_client.gen.engage.channel.v1 import task_pb2 as _task_pb2
from engage_client.gen.engage.gateway.v1 import limits_pb2 as _limits_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
INPUT_METHOD_ARRAY_ROW: InputMethod
INPUT_METHOD_DATE: InputMethod
INPUT_METHOD_DROPDOWN: InputMethod
INPUT_METHOD_DYNAMIC_TEXT: InputMethod
INPUT_METHOD_NUMBER: InputMethod
INPUT_METHOD_TEXT: InputMethod
INPUT_METHOD_TIME: InputMethod
INPUT_METHOD_UNSPECIFIED: InputMethod

class Channel(_message.Message):
    __slots__ = ["authentication", "channel_id", "content_template", "create_time", "custom_headers", "custom_parameters", "delivery", "etag", "funnel", "name", "no_custom_headers", "project_id", "push_id_property", "update_time", "url"]
    AUTHENTICATION_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_ID_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TEMPLATE_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_HEADERS_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    FUNNEL_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NO_CUSTOM_HEADERS_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    PUSH_ID_PROPERTY_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    authentication: ChannelAuthentication
    channel_id: str
    content_template: _containers.RepeatedCompositeFieldContainer[ContentField]
    create_time: _timestamp_pb2.Timestamp
    custom_headers: _containers.RepeatedCompositeFieldContainer[CustomHeader]
    custom_parameters: _containers.RepeatedCompositeFieldContainer[CustomParameter]
    delivery: DeliverySettings
    etag: str
    funnel: FunnelSetting
    name: str
    no_custom_headers: bool
    project_id: int
    push_id_property: str
    update_time: _timestamp_pb2.Timestamp
    url: str
    def __init__(self, name: _Optional[str] = ..., channel_id: _Optional[str] = ..., project_id: _Optional[int] = ..., url: _Optional[str] = ..., push_id_property: _Optional[str] = ..., custom_headers: _Optional[_Iterable[_Union[CustomHeader, _Mapping]]] = ..., authentication: _Optional[_Union[ChannelAuthentication, _Mapping]] = ..., funnel: _Optional[_Union[FunnelSetting, _Mapping]] = ..., content_template: _Optional[_Iterable[_Union[ContentField, _Mapping]]] = ..., custom_parameters: _Optional[_Iterable[_Union[CustomParameter, _Mapping]]] = ..., delivery: _Optional[_Union[DeliverySettings, _Mapping]] = ..., etag: _Optional[str] = ..., create_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., no_custom_headers: bool = ...) -> None: ...

class ChannelAuthentication(_message.Message):
    __slots__ = ["header_name", "off", "secret", "secret_is_set"]
    HEADER_NAME_FIELD_NUMBER: _ClassVar[int]
    OFF_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    SECRET_IS_SET_FIELD_NUMBER: _ClassVar[int]
    header_name: str
    off: bool
    secret: str
    secret_is_set: bool
    def __init__(self, secret: _Optional[str] = ..., secret_is_set: bool = ..., header_name: _Optional[str] = ..., off: bool = ...) -> None: ...

class ContentField(_message.Message):
    __slots__ = ["columns", "default_rows", "default_value", "description", "display_name", "input_method", "name", "options", "required"]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_ROWS_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    INPUT_METHOD_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_FIELD_NUMBER: _ClassVar[int]
    columns: _containers.RepeatedScalarFieldContainer[str]
    default_rows: _task_pb2.ArrayRows
    default_value: str
    description: str
    display_name: str
    input_method: InputMethod
    name: str
    options: _containers.RepeatedScalarFieldContainer[str]
    required: bool
    def __init__(self, name: _Optional[str] = ..., display_name: _Optional[str] = ..., input_method: _Optional[_Union[InputMethod, str]] = ..., default_value: _Optional[str] = ..., description: _Optional[str] = ..., required: bool = ..., options: _Optional[_Iterable[str]] = ..., columns: _Optional[_Iterable[str]] = ..., default_rows: _Optional[_Union[_task_pb2.ArrayRows, _Mapping]] = ...) -> None: ...

class CustomHeader(_message.Message):
    __slots__ = ["name", "value", "value_is_set"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    VALUE_IS_SET_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    value_is_set: bool
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ..., value_is_set: bool = ...) -> None: ...

class CustomParameter(_message.Message):
    __slots__ = ["default_value", "name", "property"]
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROPERTY_FIELD_NUMBER: _ClassVar[int]
    default_value: str
    name: str
    property: str
    def __init__(self, name: _Optional[str] = ..., property: _Optional[str] = ..., default_value: _Optional[str] = ...) -> None: ...

class DeliverySettings(_message.Message):
    __slots__ = ["batch_size", "rate_limit", "retries", "retry_interval_seconds", "strict_validation", "timeout_seconds"]
    BATCH_SIZE_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    RETRIES_FIELD_NUMBER: _ClassVar[int]
    RETRY_INTERVAL_SECONDS_FIELD_NUMBER: _ClassVar[int]
    STRICT_VALIDATION_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    batch_size: int
    rate_limit: int
    retries: int
    retry_interval_seconds: int
    strict_validation: bool
    timeout_seconds: int
    def __init__(self, rate_limit: _Optional[int] = ..., batch_size: _Optional[int] = ..., timeout_seconds: _Optional[int] = ..., retries: _Optional[int] = ..., retry_interval_seconds: _Optional[int] = ..., strict_validation: bool = ...) -> None: ...

class FunnelSetting(_message.Message):
    __slots__ = ["click_event", "conversion_events", "conversion_window_hours", "step_events"]
    CLICK_EVENT_FIELD_NUMBER: _ClassVar[int]
    CONVERSION_EVENTS_FIELD_NUMBER: _ClassVar[int]
    CONVERSION_WINDOW_HOURS_FIELD_NUMBER: _ClassVar[int]
    STEP_EVENTS_FIELD_NUMBER: _ClassVar[int]
    click_event: str
    conversion_events: _containers.RepeatedScalarFieldContainer[str]
    conversion_window_hours: int
    step_events: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, step_events: _Optional[_Iterable[str]] = ..., click_event: _Optional[str] = ..., conversion_events: _Optional[_Iterable[str]] = ..., conversion_window_hours: _Optional[int] = ...) -> None: ...

class InputMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
