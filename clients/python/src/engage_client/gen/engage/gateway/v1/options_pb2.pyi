from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
ERROR_STYLE_CODE: ErrorStyle
ERROR_STYLE_ENVELOPE: ErrorStyle
ERROR_STYLE_RETURN_CODE: ErrorStyle
ERROR_STYLE_STATUS: ErrorStyle
ERROR_STYLE_UNSPECIFIED: ErrorStyle
GATEWAY_FIELD_NUMBER: _ClassVar[int]
JSON_WORD_FIELD_NUMBER: _ClassVar[int]
gateway: _descriptor.FieldDescriptor
json_word: _descriptor.FieldDescriptor

class GatewayOptions(_message.Message):
    __slots__ = ["any_origin", "error_style", "handler_authenticates_rest", "raw_body", "read_only"]
    ANY_ORIGIN_FIELD_NUMBER: _ClassVar[int]
    ERROR_STYLE_FIELD_NUMBER: _ClassVar[int]
    HANDLER_AUTHENTICATES_REST_FIELD_NUMBER: _ClassVar[int]
    RAW_BODY_FIELD_NUMBER: _ClassVar[int]
    READ_ONLY_FIELD_NUMBER: _ClassVar[int]
    any_origin: bool
    error_style: ErrorStyle
    handler_authenticates_rest: bool
    raw_body: bool
    read_only: bool
    def __init__(self, raw_body: bool = ..., error_style: _Optional[_Union[ErrorStyle, str]] = ..., handler_authenticates_rest: bool = ..., any_origin: bool = ..., read_only: bool = ...) -> None: ...

class ErrorStyle(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
