from engage_client.gen.engage.parser.v1 import parser_stream_pb2 as _parser_stream_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
FRAMING_ITEMS: Framing
FRAMING_LINES: Framing
FRAMING_NONE: Framing
FRAMING_ROLE_DATA: FramingRole
FRAMING_ROLE_INDEX: FramingRole
FRAMING_ROLE_INDEX_SEPARATOR: FramingRole
FRAMING_ROLE_LINE_END: FramingRole
FRAMING_ROLE_SEPARATOR: FramingRole
FRAMING_ROLE_SEPARATOR_IN_DATA: FramingRole
FRAMING_ROLE_TRIMMED: FramingRole
FRAMING_ROLE_UNSPECIFIED: FramingRole
FRAMING_UNSPECIFIED: Framing

class ExplainRequest(_message.Message):
    __slots__ = ["content", "format", "framing", "index", "inline_formats"]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    FRAMING_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    INLINE_FORMATS_FIELD_NUMBER: _ClassVar[int]
    content: bytes
    format: str
    framing: Framing
    index: str
    inline_formats: str
    def __init__(self, content: _Optional[bytes] = ..., framing: _Optional[_Union[Framing, str]] = ..., index: _Optional[str] = ..., format: _Optional[str] = ..., inline_formats: _Optional[str] = ...) -> None: ...

class ExplainResponse(_message.Message):
    __slots__ = ["configuration", "content", "framing", "lines", "omitted_lines", "omitted_tokens", "separators", "tokens", "warnings"]
    CONFIGURATION_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    FRAMING_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    OMITTED_LINES_FIELD_NUMBER: _ClassVar[int]
    OMITTED_TOKENS_FIELD_NUMBER: _ClassVar[int]
    SEPARATORS_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    configuration: str
    content: bytes
    framing: Framing
    lines: _containers.RepeatedCompositeFieldContainer[ExplainedLine]
    omitted_lines: int
    omitted_tokens: int
    separators: FramingSeparators
    tokens: _containers.RepeatedCompositeFieldContainer[FramingToken]
    warnings: _containers.RepeatedCompositeFieldContainer[FormatWarning]
    def __init__(self, framing: _Optional[_Union[Framing, str]] = ..., separators: _Optional[_Union[FramingSeparators, _Mapping]] = ..., tokens: _Optional[_Iterable[_Union[FramingToken, _Mapping]]] = ..., omitted_tokens: _Optional[int] = ..., lines: _Optional[_Iterable[_Union[ExplainedLine, _Mapping]]] = ..., omitted_lines: _Optional[int] = ..., content: _Optional[bytes] = ..., configuration: _Optional[str] = ..., warnings: _Optional[_Iterable[_Union[FormatWarning, _Mapping]]] = ...) -> None: ...

class ExplainedLine(_message.Message):
    __slots__ = ["error", "field_lists", "format", "index", "length", "line_number", "offset", "records"]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    FIELD_LISTS_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    LINE_NUMBER_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    error: _parser_stream_pb2.LineError
    field_lists: _containers.RepeatedCompositeFieldContainer[FieldList]
    format: str
    index: str
    length: int
    line_number: int
    offset: int
    records: RecordTexts
    def __init__(self, line_number: _Optional[int] = ..., index: _Optional[str] = ..., format: _Optional[str] = ..., offset: _Optional[int] = ..., length: _Optional[int] = ..., field_lists: _Optional[_Iterable[_Union[FieldList, _Mapping]]] = ..., records: _Optional[_Union[RecordTexts, _Mapping]] = ..., error: _Optional[_Union[_parser_stream_pb2.LineError, _Mapping]] = ...) -> None: ...

class FieldList(_message.Message):
    __slots__ = ["fields"]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    fields: _containers.RepeatedCompositeFieldContainer[SourceField]
    def __init__(self, fields: _Optional[_Iterable[_Union[SourceField, _Mapping]]] = ...) -> None: ...

class FormatWarning(_message.Message):
    __slots__ = ["message", "path", "place"]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    message: str
    path: str
    place: str
    def __init__(self, place: _Optional[str] = ..., path: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class FramingSeparators(_message.Message):
    __slots__ = ["index", "item", "record"]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    ITEM_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    index: str
    item: str
    record: str
    def __init__(self, item: _Optional[str] = ..., index: _Optional[str] = ..., record: _Optional[str] = ...) -> None: ...

class FramingToken(_message.Message):
    __slots__ = ["length", "line_number", "offset", "role"]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    LINE_NUMBER_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    length: int
    line_number: int
    offset: int
    role: FramingRole
    def __init__(self, offset: _Optional[int] = ..., length: _Optional[int] = ..., role: _Optional[_Union[FramingRole, str]] = ..., line_number: _Optional[int] = ...) -> None: ...

class RecordTexts(_message.Message):
    __slots__ = ["json"]
    JSON_FIELD_NUMBER: _ClassVar[int]
    json: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, json: _Optional[_Iterable[str]] = ...) -> None: ...

class SourceField(_message.Message):
    __slots__ = ["json", "name"]
    JSON_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    json: str
    name: str
    def __init__(self, name: _Optional[str] = ..., json: _Optional[str] = ...) -> None: ...

class Framing(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class FramingRole(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
