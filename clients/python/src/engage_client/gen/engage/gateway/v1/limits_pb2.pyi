from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
LIMITS_FIELD_NUMBER: _ClassVar[int]
PATTERN_FIELD_NUMBER: _ClassVar[int]
TEXT_FORMAT_DAY: TextFormat
TEXT_FORMAT_EVENT_NAME: TextFormat
TEXT_FORMAT_HEADER_NAME: TextFormat
TEXT_FORMAT_HEADER_VALUE: TextFormat
TEXT_FORMAT_ID: TextFormat
TEXT_FORMAT_KEY: TextFormat
TEXT_FORMAT_LANGUAGE: TextFormat
TEXT_FORMAT_LINE: TextFormat
TEXT_FORMAT_PROPERTY: TextFormat
TEXT_FORMAT_TIME: TextFormat
TEXT_FORMAT_UNSPECIFIED: TextFormat
TEXT_FORMAT_URL: TextFormat
limits: _descriptor.FieldDescriptor
pattern: _descriptor.FieldDescriptor

class FieldLimits(_message.Message):
    __slots__ = ["above_min", "also", "default_value", "format", "max", "max_items", "max_length", "min", "required", "secret"]
    ABOVE_MIN_FIELD_NUMBER: _ClassVar[int]
    ALSO_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_VALUE_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    MAX_FIELD_NUMBER: _ClassVar[int]
    MAX_ITEMS_FIELD_NUMBER: _ClassVar[int]
    MAX_LENGTH_FIELD_NUMBER: _ClassVar[int]
    MIN_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    above_min: bool
    also: float
    default_value: str
    format: TextFormat
    max: float
    max_items: int
    max_length: int
    min: float
    required: bool
    secret: bool
    def __init__(self, required: bool = ..., max_length: _Optional[int] = ..., max_items: _Optional[int] = ..., min: _Optional[float] = ..., max: _Optional[float] = ..., above_min: bool = ..., also: _Optional[float] = ..., format: _Optional[_Union[TextFormat, str]] = ..., default_value: _Optional[str] = ..., secret: bool = ...) -> None: ...

class TextFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
