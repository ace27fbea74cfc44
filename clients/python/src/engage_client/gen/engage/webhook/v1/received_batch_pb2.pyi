from engage_client.gen.engage.webhook.v1 import delivery_pb2 as _delivery_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
SIGNATURE_SCHEME_CALLER: SignatureScheme
SIGNATURE_SCHEME_HMAC_SHA1: SignatureScheme
SIGNATURE_SCHEME_NONE: SignatureScheme
SIGNATURE_SCHEME_UNSPECIFIED: SignatureScheme

class BatchFilter(_message.Message):
    __slots__ = ["accepted_from", "accepted_until", "channel", "request_id"]
    ACCEPTED_FROM_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    accepted_from: _timestamp_pb2.Timestamp
    accepted_until: _timestamp_pb2.Timestamp
    channel: str
    request_id: str
    def __init__(self, channel: _Optional[str] = ..., request_id: _Optional[str] = ..., accepted_from: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., accepted_until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class BatchSignature(_message.Message):
    __slots__ = ["cause", "header", "matches", "scheme", "value"]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    HEADER_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    SCHEME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    cause: str
    header: str
    matches: bool
    scheme: SignatureScheme
    value: str
    def __init__(self, scheme: _Optional[_Union[SignatureScheme, str]] = ..., header: _Optional[str] = ..., value: _Optional[str] = ..., matches: bool = ..., cause: _Optional[str] = ...) -> None: ...

class GetBatchRequest(_message.Message):
    __slots__ = ["batch_id"]
    BATCH_ID_FIELD_NUMBER: _ClassVar[int]
    batch_id: str
    def __init__(self, batch_id: _Optional[str] = ...) -> None: ...

class GetBatchResponse(_message.Message):
    __slots__ = ["batch", "body", "damage", "deliveries", "reply", "signature"]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    DAMAGE_FIELD_NUMBER: _ClassVar[int]
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    REPLY_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    batch: ReceivedBatch
    body: bytes
    damage: str
    deliveries: _containers.RepeatedCompositeFieldContainer[_delivery_pb2.Delivery]
    reply: bytes
    signature: BatchSignature
    def __init__(self, batch: _Optional[_Union[ReceivedBatch, _Mapping]] = ..., body: _Optional[bytes] = ..., damage: _Optional[str] = ..., reply: _Optional[bytes] = ..., signature: _Optional[_Union[BatchSignature, _Mapping]] = ..., deliveries: _Optional[_Iterable[_Union[_delivery_pb2.Delivery, _Mapping]]] = ...) -> None: ...

class ListBatchesRequest(_message.Message):
    __slots__ = ["filter", "page_size", "page_token"]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    filter: BatchFilter
    page_size: int
    page_token: str
    def __init__(self, filter: _Optional[_Union[BatchFilter, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListBatchesResponse(_message.Message):
    __slots__ = ["batches", "next_page_token"]
    BATCHES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    batches: _containers.RepeatedCompositeFieldContainer[ReceivedBatch]
    next_page_token: str
    def __init__(self, batches: _Optional[_Iterable[_Union[ReceivedBatch, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ReceivedBatch(_message.Message):
    __slots__ = ["accepted_time", "batch_id", "body_bytes", "channel", "request_id", "targets"]
    ACCEPTED_TIME_FIELD_NUMBER: _ClassVar[int]
    BATCH_ID_FIELD_NUMBER: _ClassVar[int]
    BODY_BYTES_FIELD_NUMBER: _ClassVar[int]
    CHANNEL_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    accepted_time: _timestamp_pb2.Timestamp
    batch_id: str
    body_bytes: int
    channel: str
    request_id: str
    targets: _containers.RepeatedCompositeFieldContainer[_delivery_pb2.TargetStats]
    def __init__(self, batch_id: _Optional[str] = ..., channel: _Optional[str] = ..., request_id: _Optional[str] = ..., accepted_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., body_bytes: _Optional[int] = ..., targets: _Optional[_Iterable[_Union[_delivery_pb2.TargetStats, _Mapping]]] = ...) -> None: ...

class SignatureScheme(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
