from engage_client.gen.engage.webhook.v1 import message_pb2 as _message_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

ATTEMPT_OUTCOME_DEAD: AttemptOutcome
ATTEMPT_OUTCOME_DONE: AttemptOutcome
ATTEMPT_OUTCOME_RETRY: AttemptOutcome
ATTEMPT_OUTCOME_UNSPECIFIED: AttemptOutcome
BREAKER_STATE_CLOSED: BreakerState
BREAKER_STATE_HALF_OPEN: BreakerState
BREAKER_STATE_OPEN: BreakerState
BREAKER_STATE_UNSPECIFIED: BreakerState
DELIVERY_STATE_DEAD: DeliveryState
DELIVERY_STATE_DELIVERED: DeliveryState
DELIVERY_STATE_LEASED: DeliveryState
DELIVERY_STATE_PENDING: DeliveryState
DELIVERY_STATE_UNSPECIFIED: DeliveryState
DESCRIPTOR: _descriptor.FileDescriptor

class Attempt(_message.Message):
    __slots__ = ["answer", "attempt", "before_replay", "duration", "outcome", "reason", "start_time", "status"]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    BEFORE_REPLAY_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    answer: str
    attempt: int
    before_replay: bool
    duration: _duration_pb2.Duration
    outcome: AttemptOutcome
    reason: str
    start_time: _timestamp_pb2.Timestamp
    status: int
    def __init__(self, attempt: _Optional[int] = ..., before_replay: bool = ..., start_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., duration: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., outcome: _Optional[_Union[AttemptOutcome, str]] = ..., reason: _Optional[str] = ..., status: _Optional[int] = ..., answer: _Optional[str] = ...) -> None: ...

class DeadLetterFilter(_message.Message):
    __slots__ = ["accepted_from", "accepted_until", "batch_id", "channel", "dead_from", "dead_until", "delivery_id", "push_id", "reason", "request_id", "target"]
    ACCEPTED_FROM_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    BATCH_ID_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    DEAD_FROM_FIELD_NUMBER: _ClassVar[int]
    DEAD_UNTIL_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_ID_FIELD_NUMBER: _ClassVar[int]
    PUSH_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    accepted_from: _timestamp_pb2.Timestamp
    accepted_until: _timestamp_pb2.Timestamp
    batch_id: str
    channel: str
    dead_from: _timestamp_pb2.Timestamp
    dead_until: _timestamp_pb2.Timestamp
    delivery_id: str
    push_id: str
    reason: str
    request_id: str
    target: str
    def __init__(self, channel: _Optional[str] = ..., target: _Optional[str] = ..., batch_id: _Optional[str] = ..., push_id: _Optional[str] = ..., delivery_id: _Optional[str] = ..., dead_from: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., dead_until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., reason: _Optional[str] = ..., request_id: _Optional[str] = ..., accepted_from: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., accepted_until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Delivery(_message.Message):
    __slots__ = ["accepted_time", "attempts", "batch_id", "channel", "dead_time", "delivery_id", "due_time", "index", "message", "push_id", "reason", "request_id", "state", "target", "timeline"]
    ACCEPTED_TIME_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    BATCH_ID_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    DEAD_TIME_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_ID_FIELD_NUMBER: _ClassVar[int]
    DUE_TIME_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    PUSH_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    TIMELINE_FIELD_NUMBER: _ClassVar[int]
    accepted_time: _timestamp_pb2.Timestamp
    attempts: int
    batch_id: str
    channel: str
    dead_time: _timestamp_pb2.Timestamp
    delivery_id: str
    due_time: _timestamp_pb2.Timestamp
    index: int
    message: _message_pb2.WebhookMessage
    push_id: str
    reason: str
    request_id: str
    state: DeliveryState
    target: str
    timeline: _containers.RepeatedCompositeFieldContainer[Attempt]
    def __init__(self, delivery_id: _Optional[str] = ..., channel: _Optional[str] = ..., target: _Optional[str] = ..., batch_id: _Optional[str] = ..., index: _Optional[int] = ..., request_id: _Optional[str] = ..., push_id: _Optional[str] = ..., state: _Optional[_Union[DeliveryState, str]] = ..., attempts: _Optional[int] = ..., reason: _Optional[str] = ..., accepted_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., due_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., dead_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., message: _Optional[_Union[_message_pb2.WebhookMessage, _Mapping]] = ..., timeline: _Optional[_Iterable[_Union[Attempt, _Mapping]]] = ...) -> None: ...

class DeliveryFilter(_message.Message):
    __slots__ = ["accepted_from", "accepted_until", "batch_id", "channel", "push_id", "reason", "request_id", "target"]
    ACCEPTED_FROM_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    BATCH_ID_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    PUSH_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    accepted_from: _timestamp_pb2.Timestamp
    accepted_until: _timestamp_pb2.Timestamp
    batch_id: str
    channel: str
    push_id: str
    reason: str
    request_id: str
    target: str
    def __init__(self, channel: _Optional[str] = ..., target: _Optional[str] = ..., batch_id: _Optional[str] = ..., request_id: _Optional[str] = ..., push_id: _Optional[str] = ..., accepted_from: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., accepted_until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., reason: _Optional[str] = ...) -> None: ...

class GetDeliveryRequest(_message.Message):
    __slots__ = ["delivery_id"]
    DELIVERY_ID_FIELD_NUMBER: _ClassVar[int]
    delivery_id: str
    def __init__(self, delivery_id: _Optional[str] = ...) -> None: ...

class GetDeliveryResponse(_message.Message):
    __slots__ = ["delivery"]
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    delivery: Delivery
    def __init__(self, delivery: _Optional[_Union[Delivery, _Mapping]] = ...) -> None: ...

class GetStatsRequest(_message.Message):
    __slots__ = ["channel"]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    channel: str
    def __init__(self, channel: _Optional[str] = ...) -> None: ...

class GetStatsResponse(_message.Message):
    __slots__ = ["breakers", "inbox", "targets"]
    BREAKERS_FIELD_NUMBER: _ClassVar[int]
    INBOX_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    breakers: _containers.RepeatedCompositeFieldContainer[TargetBreaker]
    inbox: InboxStats
    targets: _containers.RepeatedCompositeFieldContainer[TargetStats]
    def __init__(self, targets: _Optional[_Iterable[_Union[TargetStats, _Mapping]]] = ..., inbox: _Optional[_Union[InboxStats, _Mapping]] = ..., breakers: _Optional[_Iterable[_Union[TargetBreaker, _Mapping]]] = ...) -> None: ...

class InboxStats(_message.Message):
    __slots__ = ["free_bytes", "oldest_pending_time", "reason", "used_bytes", "writable"]
    FREE_BYTES_FIELD_NUMBER: _ClassVar[int]
    OLDEST_PENDING_TIME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    USED_BYTES_FIELD_NUMBER: _ClassVar[int]
    WRITABLE_FIELD_NUMBER: _ClassVar[int]
    free_bytes: int
    oldest_pending_time: _timestamp_pb2.Timestamp
    reason: str
    used_bytes: int
    writable: bool
    def __init__(self, oldest_pending_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., used_bytes: _Optional[int] = ..., free_bytes: _Optional[int] = ..., writable: bool = ..., reason: _Optional[str] = ...) -> None: ...

class ListDeadLettersRequest(_message.Message):
    __slots__ = ["filter", "page_size", "page_token"]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    filter: DeadLetterFilter
    page_size: int
    page_token: str
    def __init__(self, filter: _Optional[_Union[DeadLetterFilter, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListDeadLettersResponse(_message.Message):
    __slots__ = ["dead_letters", "next_page_token"]
    DEAD_LETTERS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    dead_letters: _containers.RepeatedCompositeFieldContainer[Delivery]
    next_page_token: str
    def __init__(self, dead_letters: _Optional[_Iterable[_Union[Delivery, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListDeliveriesRequest(_message.Message):
    __slots__ = ["filter", "page_size", "page_token", "state"]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    filter: DeliveryFilter
    page_size: int
    page_token: str
    state: DeliveryState
    def __init__(self, filter: _Optional[_Union[DeliveryFilter, _Mapping]] = ..., state: _Optional[_Union[DeliveryState, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListDeliveriesResponse(_message.Message):
    __slots__ = ["deliveries", "next_page_token"]
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    deliveries: _containers.RepeatedCompositeFieldContainer[Delivery]
    next_page_token: str
    def __init__(self, deliveries: _Optional[_Iterable[_Union[Delivery, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ReplayDeadLettersRequest(_message.Message):
    __slots__ = ["all", "dry_run", "filter", "nonce", "page_size", "page_token"]
    ALL_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    NONCE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    all: bool
    dry_run: bool
    filter: DeadLetterFilter
    nonce: str
    page_size: int
    page_token: str
    def __init__(self, filter: _Optional[_Union[DeadLetterFilter, _Mapping]] = ..., all: bool = ..., nonce: _Optional[str] = ..., dry_run: bool = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ReplayDeadLettersResponse(_message.Message):
    __slots__ = ["count", "next_page_token"]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    count: int
    next_page_token: str
    def __init__(self, count: _Optional[int] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class TargetBreaker(_message.Message):
    __slots__ = ["next_try_time", "open_time", "state", "target"]
    NEXT_TRY_TIME_FIELD_NUMBER: _ClassVar[int]
    OPEN_TIME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    next_try_time: _timestamp_pb2.Timestamp
    open_time: _timestamp_pb2.Timestamp
    state: BreakerState
    target: str
    def __init__(self, target: _Optional[str] = ..., state: _Optional[_Union[BreakerState, str]] = ..., open_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., next_try_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class TargetStats(_message.Message):
    __slots__ = ["accepted", "channel", "dead", "delivered", "pending", "target"]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    DEAD_FIELD_NUMBER: _ClassVar[int]
    DELIVERED_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    accepted: int
    channel: str
    dead: int
    delivered: int
    pending: int
    target: str
    def __init__(self, channel: _Optional[str] = ..., target: _Optional[str] = ..., accepted: _Optional[int] = ..., delivered: _Optional[int] = ..., dead: _Optional[int] = ..., pending: _Optional[int] = ...) -> None: ...

class AttemptOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class DeliveryState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class BreakerState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
