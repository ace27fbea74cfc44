from engage_client.gen.engage.analysis.v1 import filter_pb2 as _filter_pb2
from engage_client.gen.engage.analysis.v1 import query_pb2 as _query_pb2
from engage_client.gen.engage.gateway.v1 import limits_pb2 as _limits_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
TASK_STATE_CANCELLED: TaskState
TASK_STATE_DONE: TaskState
TASK_STATE_DRAFT: TaskState
TASK_STATE_FAILED: TaskState
TASK_STATE_PREPARING: TaskState
TASK_STATE_SCHEDULED: TaskState
TASK_STATE_SENDING: TaskState
TASK_STATE_UNSPECIFIED: TaskState

class ArrayRow(_message.Message):
    __slots__ = ["cells"]
    class CellsEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    CELLS_FIELD_NUMBER: _ClassVar[int]
    cells: _containers.ScalarMap[str, str]
    def __init__(self, cells: _Optional[_Mapping[str, str]] = ...) -> None: ...

class ArrayRows(_message.Message):
    __slots__ = ["rows"]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[ArrayRow]
    def __init__(self, rows: _Optional[_Iterable[_Union[ArrayRow, _Mapping]]] = ...) -> None: ...

class Audience(_message.Message):
    __slots__ = ["analysis", "cohort", "push_ids", "users"]
    ANALYSIS_FIELD_NUMBER: _ClassVar[int]
    COHORT_FIELD_NUMBER: _ClassVar[int]
    PUSH_IDS_FIELD_NUMBER: _ClassVar[int]
    USERS_FIELD_NUMBER: _ClassVar[int]
    analysis: _query_pb2.EventUserQuery
    cohort: Cohort
    push_ids: PushIdList
    users: UserFilter
    def __init__(self, push_ids: _Optional[_Union[PushIdList, _Mapping]] = ..., users: _Optional[_Union[UserFilter, _Mapping]] = ..., analysis: _Optional[_Union[_query_pb2.EventUserQuery, _Mapping]] = ..., cohort: _Optional[_Union[Cohort, _Mapping]] = ...) -> None: ...

class Cohort(_message.Message):
    __slots__ = ["day", "name"]
    DAY_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    day: str
    name: str
    def __init__(self, name: _Optional[str] = ..., day: _Optional[str] = ...) -> None: ...

class Content(_message.Message):
    __slots__ = ["language", "values"]
    class ValuesEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: ContentValue
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[ContentValue, _Mapping]] = ...) -> None: ...
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    language: str
    values: _containers.MessageMap[str, ContentValue]
    def __init__(self, language: _Optional[str] = ..., values: _Optional[_Mapping[str, ContentValue]] = ...) -> None: ...

class ContentValue(_message.Message):
    __slots__ = ["rows", "text"]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    rows: ArrayRows
    text: str
    def __init__(self, text: _Optional[str] = ..., rows: _Optional[_Union[ArrayRows, _Mapping]] = ...) -> None: ...

class ExperimentGroup(_message.Message):
    __slots__ = ["contents", "group_id", "share"]
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    GROUP_ID_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    contents: _containers.RepeatedCompositeFieldContainer[Content]
    group_id: str
    share: float
    def __init__(self, group_id: _Optional[str] = ..., share: _Optional[float] = ..., contents: _Optional[_Iterable[_Union[Content, _Mapping]]] = ...) -> None: ...

class Journey(_message.Message):
    __slots__ = ["flow_id", "flow_version", "node_id"]
    FLOW_ID_FIELD_NUMBER: _ClassVar[int]
    FLOW_VERSION_FIELD_NUMBER: _ClassVar[int]
    NODE_ID_FIELD_NUMBER: _ClassVar[int]
    flow_id: str
    flow_version: str
    node_id: str
    def __init__(self, flow_id: _Optional[str] = ..., flow_version: _Optional[str] = ..., node_id: _Optional[str] = ...) -> None: ...

class PushIdList(_message.Message):
    __slots__ = ["push_ids"]
    PUSH_IDS_FIELD_NUMBER: _ClassVar[int]
    push_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, push_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class Schedule(_message.Message):
    __slots__ = ["at", "cron", "zone"]
    AT_FIELD_NUMBER: _ClassVar[int]
    CRON_FIELD_NUMBER: _ClassVar[int]
    ZONE_FIELD_NUMBER: _ClassVar[int]
    at: str
    cron: str
    zone: str
    def __init__(self, at: _Optional[str] = ..., cron: _Optional[str] = ..., zone: _Optional[str] = ...) -> None: ...

class Task(_message.Message):
    __slots__ = ["audience", "channel_id", "contents", "create_time", "etag", "experiment_groups", "failure", "journey", "language_property", "name", "next_run_time", "schedule", "state", "task_id", "task_instance_id"]
    AUDIENCE_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_ID_FIELD_NUMBER: _ClassVar[int]
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    EXPERIMENT_GROUPS_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    JOURNEY_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_PROPERTY_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NEXT_RUN_TIME_FIELD_NUMBER: _ClassVar[int]
    SCHEDULE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    audience: Audience
    channel_id: str
    contents: _containers.RepeatedCompositeFieldContainer[Content]
    create_time: _timestamp_pb2.Timestamp
    etag: str
    experiment_groups: _containers.RepeatedCompositeFieldContainer[ExperimentGroup]
    failure: str
    journey: Journey
    language_property: str
    name: str
    next_run_time: _timestamp_pb2.Timestamp
    schedule: Schedule
    state: TaskState
    task_id: str
    task_instance_id: str
    def __init__(self, task_id: _Optional[str] = ..., name: _Optional[str] = ..., channel_id: _Optional[str] = ..., contents: _Optional[_Iterable[_Union[Content, _Mapping]]] = ..., language_property: _Optional[str] = ..., audience: _Optional[_Union[Audience, _Mapping]] = ..., experiment_groups: _Optional[_Iterable[_Union[ExperimentGroup, _Mapping]]] = ..., schedule: _Optional[_Union[Schedule, _Mapping]] = ..., journey: _Optional[_Union[Journey, _Mapping]] = ..., state: _Optional[_Union[TaskState, str]] = ..., failure: _Optional[str] = ..., etag: _Optional[str] = ..., create_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., next_run_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., task_instance_id: _Optional[str] = ...) -> None: ...

class UserFilter(_message.Message):
    __slots__ = ["filts", "relation"]
    FILTS_FIELD_NUMBER: _ClassVar[int]
    RELATION_FIELD_NUMBER: _ClassVar[int]
    filts: _containers.RepeatedCompositeFieldContainer[_filter_pb2.Filter]
    relation: _filter_pb2.Relation
    def __init__(self, filts: _Optional[_Iterable[_Union[_filter_pb2.Filter, _Mapping]]] = ..., relation: _Optional[_Union[_filter_pb2.Relation, str]] = ...) -> None: ...

class TaskState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
