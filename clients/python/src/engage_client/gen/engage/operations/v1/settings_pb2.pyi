from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
HEALTH_STATE_DEGRADED: HealthState
HEALTH_STATE_FAILED: HealthState
HEALTH_STATE_OK: HealthState
HEALTH_STATE_UNSPECIFIED: HealthState
SOURCE_KIND_COMMAND_LINE: SourceKind
SOURCE_KIND_DEFAULT: SourceKind
SOURCE_KIND_ENVIRONMENT: SourceKind
SOURCE_KIND_FILE: SourceKind
SOURCE_KIND_UNSPECIFIED: SourceKind

class CertificateInfo(_message.Message):
    __slots__ = ["methods", "subject"]
    METHODS_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    methods: _containers.RepeatedScalarFieldContainer[str]
    subject: str
    def __init__(self, subject: _Optional[str] = ..., methods: _Optional[_Iterable[str]] = ...) -> None: ...

class EventLag(_message.Message):
    __slots__ = ["approximate_records", "lag", "waiting_bytes"]
    APPROXIMATE_RECORDS_FIELD_NUMBER: _ClassVar[int]
    LAG_FIELD_NUMBER: _ClassVar[int]
    WAITING_BYTES_FIELD_NUMBER: _ClassVar[int]
    approximate_records: int
    lag: _duration_pb2.Duration
    waiting_bytes: int
    def __init__(self, approximate_records: _Optional[int] = ..., waiting_bytes: _Optional[int] = ..., lag: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class GetConfigurationRequest(_message.Message):
    __slots__ = ["path"]
    PATH_FIELD_NUMBER: _ClassVar[int]
    path: str
    def __init__(self, path: _Optional[str] = ...) -> None: ...

class GetConfigurationResponse(_message.Message):
    __slots__ = ["file", "file_named_by", "is_demo", "settings"]
    FILE_FIELD_NUMBER: _ClassVar[int]
    FILE_NAMED_BY_FIELD_NUMBER: _ClassVar[int]
    IS_DEMO_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    file: str
    file_named_by: SourceKind
    is_demo: bool
    settings: _containers.RepeatedCompositeFieldContainer[Setting]
    def __init__(self, file: _Optional[str] = ..., file_named_by: _Optional[_Union[SourceKind, str]] = ..., is_demo: bool = ..., settings: _Optional[_Iterable[_Union[Setting, _Mapping]]] = ...) -> None: ...

class GetHealthRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class GetHealthResponse(_message.Message):
    __slots__ = ["event_lag", "parts", "ready"]
    EVENT_LAG_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    event_lag: EventLag
    parts: _containers.RepeatedCompositeFieldContainer[HealthPart]
    ready: bool
    def __init__(self, ready: bool = ..., parts: _Optional[_Iterable[_Union[HealthPart, _Mapping]]] = ..., event_lag: _Optional[_Union[EventLag, _Mapping]] = ...) -> None: ...

class GetVersionRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class GetVersionResponse(_message.Message):
    __slots__ = ["node_version", "started_time", "version"]
    NODE_VERSION_FIELD_NUMBER: _ClassVar[int]
    STARTED_TIME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    node_version: str
    started_time: _timestamp_pb2.Timestamp
    version: str
    def __init__(self, version: _Optional[str] = ..., node_version: _Optional[str] = ..., started_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class HealthPart(_message.Message):
    __slots__ = ["name", "reason", "state"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    name: str
    reason: str
    state: HealthState
    def __init__(self, name: _Optional[str] = ..., state: _Optional[_Union[HealthState, str]] = ..., reason: _Optional[str] = ...) -> None: ...

class KeyInfo(_message.Message):
    __slots__ = ["methods", "name", "read_only"]
    METHODS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    READ_ONLY_FIELD_NUMBER: _ClassVar[int]
    methods: _containers.RepeatedScalarFieldContainer[str]
    name: str
    read_only: bool
    def __init__(self, name: _Optional[str] = ..., methods: _Optional[_Iterable[str]] = ..., read_only: bool = ...) -> None: ...

class ListKeysRequest(_message.Message):
    __slots__ = ["page_size", "page_token"]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListKeysResponse(_message.Message):
    __slots__ = ["certificates", "keys", "next_page_token", "required"]
    CERTIFICATES_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_FIELD_NUMBER: _ClassVar[int]
    certificates: _containers.RepeatedCompositeFieldContainer[CertificateInfo]
    keys: _containers.RepeatedCompositeFieldContainer[KeyInfo]
    next_page_token: str
    required: bool
    def __init__(self, required: bool = ..., keys: _Optional[_Iterable[_Union[KeyInfo, _Mapping]]] = ..., certificates: _Optional[_Iterable[_Union[CertificateInfo, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListTokensRequest(_message.Message):
    __slots__ = ["page_size", "page_token"]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListTokensResponse(_message.Message):
    __slots__ = ["next_page_token", "tokens"]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    next_page_token: str
    tokens: _containers.RepeatedCompositeFieldContainer[TokenInfo]
    def __init__(self, tokens: _Optional[_Iterable[_Union[TokenInfo, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class Setting(_message.Message):
    __slots__ = ["hidden", "json", "path", "shortened", "source"]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    JSON_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    SHORTENED_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    hidden: bool
    json: str
    path: str
    shortened: bool
    source: SettingSource
    def __init__(self, path: _Optional[str] = ..., json: _Optional[str] = ..., hidden: bool = ..., shortened: bool = ..., source: _Optional[_Union[SettingSource, _Mapping]] = ...) -> None: ...

class SettingSource(_message.Message):
    __slots__ = ["file", "kind", "line", "secret_file", "variable"]
    FILE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    SECRET_FILE_FIELD_NUMBER: _ClassVar[int]
    VARIABLE_FIELD_NUMBER: _ClassVar[int]
    file: str
    kind: SourceKind
    line: int
    secret_file: str
    variable: str
    def __init__(self, kind: _Optional[_Union[SourceKind, str]] = ..., file: _Optional[str] = ..., line: _Optional[int] = ..., variable: _Optional[str] = ..., secret_file: _Optional[str] = ...) -> None: ...

class TokenInfo(_message.Message):
    __slots__ = ["all_projects", "burst", "created_time", "is_configured", "name", "per_second", "project_ids"]
    ALL_PROJECTS_FIELD_NUMBER: _ClassVar[int]
    BURST_FIELD_NUMBER: _ClassVar[int]
    CREATED_TIME_FIELD_NUMBER: _ClassVar[int]
    IS_CONFIGURED_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    PROJECT_IDS_FIELD_NUMBER: _ClassVar[int]
    all_projects: bool
    burst: int
    created_time: _timestamp_pb2.Timestamp
    is_configured: bool
    name: str
    per_second: float
    project_ids: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, name: _Optional[str] = ..., project_ids: _Optional[_Iterable[int]] = ..., all_projects: bool = ..., per_second: _Optional[float] = ..., burst: _Optional[int] = ..., is_configured: bool = ..., created_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class SourceKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class HealthState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
