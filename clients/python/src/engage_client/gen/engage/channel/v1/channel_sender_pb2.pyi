from engage_client.gen.engage.channel.v1 import channel_pb2 as _channel_pb2
from engage_client.gen.engage.channel.v1 import statistics_pb2 as _statistics_pb2
from engage_client.gen.engage.channel.v1 import task_pb2 as _task_pb2
from engage_client.gen.engage.gateway.v1 import limits_pb2 as _limits_pb2
from engage_client.gen.engage.gateway.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CancelTaskRequest(_message.Message):
    __slots__ = ["task_id"]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    def __init__(self, task_id: _Optional[str] = ...) -> None: ...

class CancelTaskResponse(_message.Message):
    __slots__ = ["task"]
    TASK_FIELD_NUMBER: _ClassVar[int]
    task: _task_pb2.Task
    def __init__(self, task: _Optional[_Union[_task_pb2.Task, _Mapping]] = ...) -> None: ...

class CreateChannelRequest(_message.Message):
    __slots__ = ["channel"]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    channel: _channel_pb2.Channel
    def __init__(self, channel: _Optional[_Union[_channel_pb2.Channel, _Mapping]] = ...) -> None: ...

class CreateChannelResponse(_message.Message):
    __slots__ = ["channel"]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    channel: _channel_pb2.Channel
    def __init__(self, channel: _Optional[_Union[_channel_pb2.Channel, _Mapping]] = ...) -> None: ...

class CreateTaskRequest(_message.Message):
    __slots__ = ["task"]
    TASK_FIELD_NUMBER: _ClassVar[int]
    task: _task_pb2.Task
    def __init__(self, task: _Optional[_Union[_task_pb2.Task, _Mapping]] = ...) -> None: ...

class CreateTaskResponse(_message.Message):
    __slots__ = ["task", "warnings"]
    TASK_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    task: _task_pb2.Task
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, task: _Optional[_Union[_task_pb2.Task, _Mapping]] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class DeleteChannelRequest(_message.Message):
    __slots__ = ["channel_id", "etag"]
    CHANNEL_ID_FIELD_NUMBER: _ClassVar[int]
    ETAG_FIELD_NUMBER: _ClassVar[int]
    channel_id: str
    etag: str
    def __init__(self, channel_id: _Optional[str] = ..., etag: _Optional[str] = ...) -> None: ...

class DeleteChannelResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class EstimateAudienceRequest(_message.Message):
    __slots__ = ["audience", "project_id", "push_id_property", "sample_size"]
    AUDIENCE_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    PUSH_ID_PROPERTY_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_SIZE_FIELD_NUMBER: _ClassVar[int]
    audience: _task_pb2.Audience
    project_id: int
    push_id_property: str
    sample_size: int
    def __init__(self, project_id: _Optional[int] = ..., audience: _Optional[_Union[_task_pb2.Audience, _Mapping]] = ..., push_id_property: _Optional[str] = ..., sample_size: _Optional[int] = ...) -> None: ...

class EstimateAudienceResponse(_message.Message):
    __slots__ = ["reachable", "sample_push_ids", "users", "warnings"]
    REACHABLE_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_PUSH_IDS_FIELD_NUMBER: _ClassVar[int]
    USERS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    reachable: int
    sample_push_ids: _containers.RepeatedScalarFieldContainer[str]
    users: int
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, users: _Optional[int] = ..., reachable: _Optional[int] = ..., warnings: _Optional[_Iterable[str]] = ..., sample_push_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class GetChannelRequest(_message.Message):
    __slots__ = ["channel_id"]
    CHANNEL_ID_FIELD_NUMBER: _ClassVar[int]
    channel_id: str
    def __init__(self, channel_id: _Optional[str] = ...) -> None: ...

class GetChannelResponse(_message.Message):
    __slots__ = ["channel"]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    channel: _channel_pb2.Channel
    def __init__(self, channel: _Optional[_Union[_channel_pb2.Channel, _Mapping]] = ...) -> None: ...

class GetTaskRequest(_message.Message):
    __slots__ = ["task_id", "with_funnel", "without_definition"]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_DEFINITION_FIELD_NUMBER: _ClassVar[int]
    WITH_FUNNEL_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    with_funnel: bool
    without_definition: bool
    def __init__(self, task_id: _Optional[str] = ..., with_funnel: bool = ..., without_definition: bool = ...) -> None: ...

class GetTaskResponse(_message.Message):
    __slots__ = ["funnels", "statistics", "task"]
    FUNNELS_FIELD_NUMBER: _ClassVar[int]
    STATISTICS_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    funnels: _containers.RepeatedCompositeFieldContainer[_statistics_pb2.Funnel]
    statistics: _statistics_pb2.TaskStatistics
    task: _task_pb2.Task
    def __init__(self, task: _Optional[_Union[_task_pb2.Task, _Mapping]] = ..., statistics: _Optional[_Union[_statistics_pb2.TaskStatistics, _Mapping]] = ..., funnels: _Optional[_Iterable[_Union[_statistics_pb2.Funnel, _Mapping]]] = ...) -> None: ...

class ListBatchesRequest(_message.Message):
    __slots__ = ["only_failed", "page_size", "page_token", "task_id"]
    ONLY_FAILED_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    only_failed: bool
    page_size: int
    page_token: str
    task_id: str
    def __init__(self, task_id: _Optional[str] = ..., only_failed: bool = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListBatchesResponse(_message.Message):
    __slots__ = ["batches", "next_page_token"]
    BATCHES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    batches: _containers.RepeatedCompositeFieldContainer[_statistics_pb2.BatchSummary]
    next_page_token: str
    def __init__(self, batches: _Optional[_Iterable[_Union[_statistics_pb2.BatchSummary, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListChannelsRequest(_message.Message):
    __slots__ = ["page_size", "page_token", "project_id"]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    project_id: int
    def __init__(self, project_id: _Optional[int] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListChannelsResponse(_message.Message):
    __slots__ = ["channels", "next_page_token"]
    CHANNELS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    channels: _containers.RepeatedCompositeFieldContainer[_channel_pb2.Channel]
    next_page_token: str
    def __init__(self, channels: _Optional[_Iterable[_Union[_channel_pb2.Channel, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListTasksRequest(_message.Message):
    __slots__ = ["channel_id", "page_size", "page_token", "states", "without_definition"]
    CHANNEL_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    WITHOUT_DEFINITION_FIELD_NUMBER: _ClassVar[int]
    channel_id: str
    page_size: int
    page_token: str
    states: _containers.RepeatedScalarFieldContainer[_task_pb2.TaskState]
    without_definition: bool
    def __init__(self, channel_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., states: _Optional[_Iterable[_Union[_task_pb2.TaskState, str]]] = ..., without_definition: bool = ...) -> None: ...

class ListTasksResponse(_message.Message):
    __slots__ = ["next_page_token", "tasks"]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TASKS_FIELD_NUMBER: _ClassVar[int]
    next_page_token: str
    tasks: _containers.RepeatedCompositeFieldContainer[_task_pb2.Task]
    def __init__(self, tasks: _Optional[_Iterable[_Union[_task_pb2.Task, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class PreviewMessageRequest(_message.Message):
    __slots__ = ["group_id", "language", "push_id", "task"]
    GROUP_ID_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    PUSH_ID_FIELD_NUMBER: _ClassVar[int]
    TASK_FIELD_NUMBER: _ClassVar[int]
    group_id: str
    language: str
    push_id: str
    task: _task_pb2.Task
    def __init__(self, task: _Optional[_Union[_task_pb2.Task, _Mapping]] = ..., push_id: _Optional[str] = ..., group_id: _Optional[str] = ..., language: _Optional[str] = ...) -> None: ...

class PreviewMessageResponse(_message.Message):
    __slots__ = ["group_id", "language", "message"]
    GROUP_ID_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    group_id: str
    language: str
    message: str
    def __init__(self, message: _Optional[str] = ..., group_id: _Optional[str] = ..., language: _Optional[str] = ...) -> None: ...

class RunTaskRequest(_message.Message):
    __slots__ = ["task_id"]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    def __init__(self, task_id: _Optional[str] = ...) -> None: ...

class RunTaskResponse(_message.Message):
    __slots__ = ["task"]
    TASK_FIELD_NUMBER: _ClassVar[int]
    task: _task_pb2.Task
    def __init__(self, task: _Optional[_Union[_task_pb2.Task, _Mapping]] = ...) -> None: ...

class TestChannelRequest(_message.Message):
    __slots__ = ["channel", "channel_id", "content", "push_id"]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_ID_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    PUSH_ID_FIELD_NUMBER: _ClassVar[int]
    channel: _channel_pb2.Channel
    channel_id: str
    content: _task_pb2.Content
    push_id: str
    def __init__(self, channel: _Optional[_Union[_channel_pb2.Channel, _Mapping]] = ..., channel_id: _Optional[str] = ..., push_id: _Optional[str] = ..., content: _Optional[_Union[_task_pb2.Content, _Mapping]] = ...) -> None: ...

class TestChannelResponse(_message.Message):
    __slots__ = ["duration_ms", "lenient", "request_body", "request_headers", "response_body", "signature", "status", "strict"]
    class RequestHeadersEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    LENIENT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_BODY_FIELD_NUMBER: _ClassVar[int]
    REQUEST_HEADERS_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_BODY_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    STRICT_FIELD_NUMBER: _ClassVar[int]
    duration_ms: int
    lenient: Verdict
    request_body: str
    request_headers: _containers.ScalarMap[str, str]
    response_body: str
    signature: str
    status: int
    strict: Verdict
    def __init__(self, request_headers: _Optional[_Mapping[str, str]] = ..., request_body: _Optional[str] = ..., signature: _Optional[str] = ..., status: _Optional[int] = ..., response_body: _Optional[str] = ..., duration_ms: _Optional[int] = ..., strict: _Optional[_Union[Verdict, _Mapping]] = ..., lenient: _Optional[_Union[Verdict, _Mapping]] = ...) -> None: ...

class UpdateChannelRequest(_message.Message):
    __slots__ = ["channel", "channel_id"]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_ID_FIELD_NUMBER: _ClassVar[int]
    channel: _channel_pb2.Channel
    channel_id: str
    def __init__(self, channel_id: _Optional[str] = ..., channel: _Optional[_Union[_channel_pb2.Channel, _Mapping]] = ...) -> None: ...

class UpdateChannelResponse(_message.Message):
    __slots__ = ["channel", "warnings"]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    channel: _channel_pb2.Channel
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, channel: _Optional[_Union[_channel_pb2.Channel, _Mapping]] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class Verdict(_message.Message):
    __slots__ = ["message", "reason", "succeeded", "warnings"]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SUCCEEDED_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    message: str
    reason: str
    succeeded: bool
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, succeeded: bool = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class WatchTaskRequest(_message.Message):
    __slots__ = ["task_id"]
    TASK_ID_FIELD_NUMBER: _ClassVar[int]
    task_id: str
    def __init__(self, task_id: _Optional[str] = ...) -> None: ...

class WatchTaskResponse(_message.Message):
    __slots__ = ["progress"]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    progress: _statistics_pb2.TaskProgress
    def __init__(self, progress: _Optional[_Union[_statistics_pb2.TaskProgress, _Mapping]] = ...) -> None: ...
