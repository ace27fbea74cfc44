from engage_client.gen.engage.analysis.v1 import cluster_pb2 as _cluster_pb2
from engage_client.gen.engage.analysis.v1 import query_pb2 as _query_pb2
from engage_client.gen.engage.analysis.v1 import result_pb2 as _result_pb2
from engage_client.gen.engage.gateway.v1 import options_pb2 as _options_pb2
from google.api import httpbody_pb2 as _httpbody_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AnalyzeEventsRequest(_message.Message):
    __slots__ = ["query", "token"]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    query: _query_pb2.EventQuery
    token: str
    def __init__(self, token: _Optional[str] = ..., query: _Optional[_Union[_query_pb2.EventQuery, _Mapping]] = ...) -> None: ...

class AnalyzeEventsResponse(_message.Message):
    __slots__ = ["data", "return_code", "return_message"]
    DATA_FIELD_NUMBER: _ClassVar[int]
    RETURN_CODE_FIELD_NUMBER: _ClassVar[int]
    RETURN_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    data: _result_pb2.EventAnalysis
    return_code: int
    return_message: str
    def __init__(self, return_code: _Optional[int] = ..., return_message: _Optional[str] = ..., data: _Optional[_Union[_result_pb2.EventAnalysis, _Mapping]] = ...) -> None: ...

class CsvStyle(_message.Message):
    __slots__ = ["byte_order_mark", "stable_names"]
    BYTE_ORDER_MARK_FIELD_NUMBER: _ClassVar[int]
    STABLE_NAMES_FIELD_NUMBER: _ClassVar[int]
    byte_order_mark: bool
    stable_names: bool
    def __init__(self, stable_names: bool = ..., byte_order_mark: bool = ...) -> None: ...

class DownloadEventUsersRequest(_message.Message):
    __slots__ = ["bom", "header", "query", "token"]
    BOM_FIELD_NUMBER: _ClassVar[int]
    HEADER_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    bom: bool
    header: str
    query: _query_pb2.EventUserDownloadQuery
    token: str
    def __init__(self, token: _Optional[str] = ..., query: _Optional[_Union[_query_pb2.EventUserDownloadQuery, _Mapping]] = ..., header: _Optional[str] = ..., bom: bool = ...) -> None: ...

class DownloadEventUsersResponse(_message.Message):
    __slots__ = ["header", "raw", "rows"]
    HEADER_FIELD_NUMBER: _ClassVar[int]
    RAW_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    header: UserTableHeader
    raw: bytes
    rows: UserRows
    def __init__(self, header: _Optional[_Union[UserTableHeader, _Mapping]] = ..., rows: _Optional[_Union[UserRows, _Mapping]] = ..., raw: _Optional[bytes] = ...) -> None: ...

class DownloadEventsRequest(_message.Message):
    __slots__ = ["bom", "header", "query", "token"]
    BOM_FIELD_NUMBER: _ClassVar[int]
    HEADER_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    bom: bool
    header: str
    query: _query_pb2.EventDownloadQuery
    token: str
    def __init__(self, token: _Optional[str] = ..., query: _Optional[_Union[_query_pb2.EventDownloadQuery, _Mapping]] = ..., header: _Optional[str] = ..., bom: bool = ...) -> None: ...

class DownloadEventsResponse(_message.Message):
    __slots__ = ["header", "raw", "rows"]
    HEADER_FIELD_NUMBER: _ClassVar[int]
    RAW_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    header: EventTableHeader
    raw: bytes
    rows: _result_pb2.MetricResult
    def __init__(self, header: _Optional[_Union[EventTableHeader, _Mapping]] = ..., rows: _Optional[_Union[_result_pb2.MetricResult, _Mapping]] = ..., raw: _Optional[bytes] = ...) -> None: ...

class EventTableHeader(_message.Message):
    __slots__ = ["csv", "group_columns", "info", "x", "x_compared"]
    CSV_FIELD_NUMBER: _ClassVar[int]
    GROUP_COLUMNS_FIELD_NUMBER: _ClassVar[int]
    INFO_FIELD_NUMBER: _ClassVar[int]
    X_COMPARED_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    csv: CsvStyle
    group_columns: _containers.RepeatedCompositeFieldContainer[_result_pb2.Column]
    info: _result_pb2.AnswerInfo
    x: _containers.RepeatedCompositeFieldContainer[_result_pb2.TimeBucket]
    x_compared: _containers.RepeatedCompositeFieldContainer[_result_pb2.TimeBucket]
    def __init__(self, group_columns: _Optional[_Iterable[_Union[_result_pb2.Column, _Mapping]]] = ..., x: _Optional[_Iterable[_Union[_result_pb2.TimeBucket, _Mapping]]] = ..., x_compared: _Optional[_Iterable[_Union[_result_pb2.TimeBucket, _Mapping]]] = ..., info: _Optional[_Union[_result_pb2.AnswerInfo, _Mapping]] = ..., csv: _Optional[_Union[CsvStyle, _Mapping]] = ...) -> None: ...

class ForwardQueryRequest(_message.Message):
    __slots__ = ["body", "parameters", "path", "token"]
    BODY_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    body: _httpbody_pb2.HttpBody
    parameters: str
    path: str
    token: str
    def __init__(self, token: _Optional[str] = ..., path: _Optional[str] = ..., parameters: _Optional[str] = ..., body: _Optional[_Union[_httpbody_pb2.HttpBody, _Mapping]] = ...) -> None: ...

class ListEventUsersRequest(_message.Message):
    __slots__ = ["query", "token"]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    query: _query_pb2.EventUserQuery
    token: str
    def __init__(self, token: _Optional[str] = ..., query: _Optional[_Union[_query_pb2.EventUserQuery, _Mapping]] = ...) -> None: ...

class ListEventUsersResponse(_message.Message):
    __slots__ = ["data", "return_code", "return_message"]
    DATA_FIELD_NUMBER: _ClassVar[int]
    RETURN_CODE_FIELD_NUMBER: _ClassVar[int]
    RETURN_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    data: _result_pb2.UserList
    return_code: int
    return_message: str
    def __init__(self, return_code: _Optional[int] = ..., return_message: _Optional[str] = ..., data: _Optional[_Union[_result_pb2.UserList, _Mapping]] = ...) -> None: ...

class UserRow(_message.Message):
    __slots__ = ["values"]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedCompositeFieldContainer[_struct_pb2.Value]
    def __init__(self, values: _Optional[_Iterable[_Union[_struct_pb2.Value, _Mapping]]] = ...) -> None: ...

class UserRows(_message.Message):
    __slots__ = ["rows"]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[UserRow]
    def __init__(self, rows: _Optional[_Iterable[_Union[UserRow, _Mapping]]] = ...) -> None: ...

class UserTableHeader(_message.Message):
    __slots__ = ["columns", "csv", "info"]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    CSV_FIELD_NUMBER: _ClassVar[int]
    INFO_FIELD_NUMBER: _ClassVar[int]
    columns: _containers.RepeatedCompositeFieldContainer[_result_pb2.Column]
    csv: CsvStyle
    info: _result_pb2.AnswerInfo
    def __init__(self, columns: _Optional[_Iterable[_Union[_result_pb2.Column, _Mapping]]] = ..., info: _Optional[_Union[_result_pb2.AnswerInfo, _Mapping]] = ..., csv: _Optional[_Union[CsvStyle, _Mapping]] = ...) -> None: ...
