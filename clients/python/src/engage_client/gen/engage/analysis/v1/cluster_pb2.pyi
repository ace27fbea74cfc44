from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

CLUSTER_KIND_COHORT: ClusterKind
CLUSTER_KIND_TAG: ClusterKind
CLUSTER_KIND_UNSPECIFIED: ClusterKind
DESCRIPTOR: _descriptor.FileDescriptor

class Cluster(_message.Message):
    __slots__ = ["day", "kind", "members", "name"]
    DAY_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    day: str
    kind: ClusterKind
    members: int
    name: str
    def __init__(self, name: _Optional[str] = ..., day: _Optional[str] = ..., kind: _Optional[_Union[ClusterKind, str]] = ..., members: _Optional[int] = ...) -> None: ...

class ClusterHeader(_message.Message):
    __slots__ = ["day", "kind", "name", "project_id", "token"]
    DAY_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    day: str
    kind: ClusterKind
    name: str
    project_id: int
    token: str
    def __init__(self, token: _Optional[str] = ..., project_id: _Optional[int] = ..., name: _Optional[str] = ..., day: _Optional[str] = ..., kind: _Optional[_Union[ClusterKind, str]] = ...) -> None: ...

class ClusterMember(_message.Message):
    __slots__ = ["account_id", "distinct_id", "user_id", "value"]
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    DISTINCT_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    distinct_id: str
    user_id: int
    value: str
    def __init__(self, account_id: _Optional[str] = ..., distinct_id: _Optional[str] = ..., user_id: _Optional[int] = ..., value: _Optional[str] = ...) -> None: ...

class ClusterMembers(_message.Message):
    __slots__ = ["members"]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    members: _containers.RepeatedCompositeFieldContainer[ClusterMember]
    def __init__(self, members: _Optional[_Iterable[_Union[ClusterMember, _Mapping]]] = ...) -> None: ...

class ImportClusterRequest(_message.Message):
    __slots__ = ["header", "members"]
    HEADER_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    header: ClusterHeader
    members: ClusterMembers
    def __init__(self, header: _Optional[_Union[ClusterHeader, _Mapping]] = ..., members: _Optional[_Union[ClusterMembers, _Mapping]] = ...) -> None: ...

class ImportClusterResponse(_message.Message):
    __slots__ = ["day", "members", "unknown"]
    DAY_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_FIELD_NUMBER: _ClassVar[int]
    day: str
    members: int
    unknown: int
    def __init__(self, members: _Optional[int] = ..., unknown: _Optional[int] = ..., day: _Optional[str] = ...) -> None: ...

class ListClustersRequest(_message.Message):
    __slots__ = ["project_id", "token"]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    project_id: int
    token: str
    def __init__(self, token: _Optional[str] = ..., project_id: _Optional[int] = ...) -> None: ...

class ListClustersResponse(_message.Message):
    __slots__ = ["clusters"]
    CLUSTERS_FIELD_NUMBER: _ClassVar[int]
    clusters: _containers.RepeatedCompositeFieldContainer[Cluster]
    def __init__(self, clusters: _Optional[_Iterable[_Union[Cluster, _Mapping]]] = ...) -> None: ...

class ClusterKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
