from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ReceiptProperties(_message.Message):
    __slots__ = ["ops_exp_group_id", "ops_flow_id", "ops_flow_version", "ops_node_id", "ops_project_id", "ops_push_language", "ops_request_id", "ops_task_exec_detail_id", "ops_task_id", "ops_task_instance_id"]
    OPS_EXP_GROUP_ID_FIELD_NUMBER: _ClassVar[int]
    OPS_FLOW_ID_FIELD_NUMBER: _ClassVar[int]
    OPS_FLOW_VERSION_FIELD_NUMBER: _ClassVar[int]
    OPS_NODE_ID_FIELD_NUMBER: _ClassVar[int]
    OPS_PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    OPS_PUSH_LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    OPS_REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    OPS_TASK_EXEC_DETAIL_ID_FIELD_NUMBER: _ClassVar[int]
    OPS_TASK_ID_FIELD_NUMBER: _ClassVar[int]
    OPS_TASK_INSTANCE_ID_FIELD_NUMBER: _ClassVar[int]
    ops_exp_group_id: str
    ops_flow_id: str
    ops_flow_version: str
    ops_node_id: str
    ops_project_id: int
    ops_push_language: str
    ops_request_id: str
    ops_task_exec_detail_id: str
    ops_task_id: str
    ops_task_instance_id: str
    def __init__(self, ops_project_id: _Optional[int] = ..., ops_task_id: _Optional[str] = ..., ops_task_instance_id: _Optional[str] = ..., ops_task_exec_detail_id: _Optional[str] = ..., ops_request_id: _Optional[str] = ..., ops_exp_group_id: _Optional[str] = ..., ops_flow_id: _Optional[str] = ..., ops_flow_version: _Optional[str] = ..., ops_node_id: _Optional[str] = ..., ops_push_language: _Optional[str] = ...) -> None: ...

class WebhookMessage(_message.Message):
    __slots__ = ["custom_params", "ops_receipt_properties", "params", "push_id", "raw_receipt"]
    class CustomParamsEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: _struct_pb2.Value
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ...) -> None: ...
    class ParamsEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: _struct_pb2.Value
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[_struct_pb2.Value, _Mapping]] = ...) -> None: ...
    CUSTOM_PARAMS_FIELD_NUMBER: _ClassVar[int]
    OPS_RECEIPT_PROPERTIES_FIELD_NUMBER: _ClassVar[int]
    PARAMS_FIELD_NUMBER: _ClassVar[int]
    PUSH_ID_FIELD_NUMBER: _ClassVar[int]
    RAW_RECEIPT_FIELD_NUMBER: _ClassVar[int]
    custom_params: _containers.MessageMap[str, _struct_pb2.Value]
    ops_receipt_properties: _struct_pb2.Struct
    params: _containers.MessageMap[str, _struct_pb2.Value]
    push_id: str
    raw_receipt: bytes
    def __init__(self, push_id: _Optional[str] = ..., params: _Optional[_Mapping[str, _struct_pb2.Value]] = ..., custom_params: _Optional[_Mapping[str, _struct_pb2.Value]] = ..., ops_receipt_properties: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., raw_receipt: _Optional[bytes] = ...) -> None: ...
