from engage_client.gen.engage.gateway.v1 import limits_pb2 as _limits_pb2
from engage_client.gen.engage.gateway.v1 import options_pb2 as _options_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CreateSavedQueryRequest(_message.Message):
    __slots__ = ["project_id", "saved_query", "token"]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    SAVED_QUERY_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    project_id: int
    saved_query: SavedQuery
    token: str
    def __init__(self, token: _Optional[str] = ..., project_id: _Optional[int] = ..., saved_query: _Optional[_Union[SavedQuery, _Mapping]] = ...) -> None: ...

class CreateSavedQueryResponse(_message.Message):
    __slots__ = ["saved_query"]
    SAVED_QUERY_FIELD_NUMBER: _ClassVar[int]
    saved_query: SavedQuery
    def __init__(self, saved_query: _Optional[_Union[SavedQuery, _Mapping]] = ...) -> None: ...

class DeleteSavedQueryRequest(_message.Message):
    __slots__ = ["etag", "project_id", "query_id", "token"]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    QUERY_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    etag: str
    project_id: int
    query_id: str
    token: str
    def __init__(self, token: _Optional[str] = ..., project_id: _Optional[int] = ..., query_id: _Optional[str] = ..., etag: _Optional[str] = ...) -> None: ...

class DeleteSavedQueryResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class GetSavedQueryRequest(_message.Message):
    __slots__ = ["project_id", "query_id", "token"]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    QUERY_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    project_id: int
    query_id: str
    token: str
    def __init__(self, token: _Optional[str] = ..., project_id: _Optional[int] = ..., query_id: _Optional[str] = ...) -> None: ...

class GetSavedQueryResponse(_message.Message):
    __slots__ = ["saved_query"]
    SAVED_QUERY_FIELD_NUMBER: _ClassVar[int]
    saved_query: SavedQuery
    def __init__(self, saved_query: _Optional[_Union[SavedQuery, _Mapping]] = ...) -> None: ...

class ListSavedQueriesRequest(_message.Message):
    __slots__ = ["page_size", "page_token", "project_id", "token"]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    project_id: int
    token: str
    def __init__(self, token: _Optional[str] = ..., project_id: _Optional[int] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSavedQueriesResponse(_message.Message):
    __slots__ = ["next_page_token", "saved_queries"]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SAVED_QUERIES_FIELD_NUMBER: _ClassVar[int]
    next_page_token: str
    saved_queries: _containers.RepeatedCompositeFieldContainer[SavedQuery]
    def __init__(self, saved_queries: _Optional[_Iterable[_Union[SavedQuery, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class SavedQuery(_message.Message):
    __slots__ = ["create_time", "description", "etag", "name", "project_id", "query_id", "request_json", "update_time"]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    QUERY_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_JSON_FIELD_NUMBER: _ClassVar[int]
    UPDATE_TIME_FIELD_NUMBER: _ClassVar[int]
    create_time: _timestamp_pb2.Timestamp
    description: str
    etag: str
    name: str
    project_id: int
    query_id: str
    request_json: str
    update_time: _timestamp_pb2.Timestamp
    def __init__(self, query_id: _Optional[str] = ..., project_id: _Optional[int] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., request_json: _Optional[str] = ..., etag: _Optional[str] = ..., create_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., update_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class UpdateSavedQueryRequest(_message.Message):
    __slots__ = ["project_id", "query_id", "saved_query", "token"]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    QUERY_ID_FIELD_NUMBER: _ClassVar[int]
    SAVED_QUERY_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    project_id: int
    query_id: str
    saved_query: SavedQuery
    token: str
    def __init__(self, token: _Optional[str] = ..., project_id: _Optional[int] = ..., query_id: _Optional[str] = ..., saved_query: _Optional[_Union[SavedQuery, _Mapping]] = ...) -> None: ...

class UpdateSavedQueryResponse(_message.Message):
    __slots__ = ["saved_query"]
    SAVED_QUERY_FIELD_NUMBER: _ClassVar[int]
    saved_query: SavedQuery
    def __init__(self, saved_query: _Optional[_Union[SavedQuery, _Mapping]] = ...) -> None: ...
