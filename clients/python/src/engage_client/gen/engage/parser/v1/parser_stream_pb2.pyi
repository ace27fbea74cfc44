from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class LineError(_message.Message):
    __slots__ = ["message", "reason"]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    message: str
    reason: str
    def __init__(self, reason: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class LineResult(_message.Message):
    __slots__ = ["error", "line_number", "records"]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    LINE_NUMBER_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    error: LineError
    line_number: int
    records: Records
    def __init__(self, line_number: _Optional[int] = ..., records: _Optional[_Union[Records, _Mapping]] = ..., error: _Optional[_Union[LineError, _Mapping]] = ...) -> None: ...

class ParseLinesRequest(_message.Message):
    __slots__ = ["index", "lines"]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    index: str
    lines: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, index: _Optional[str] = ..., lines: _Optional[_Iterable[bytes]] = ...) -> None: ...

class ParseLinesResponse(_message.Message):
    __slots__ = ["results"]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[LineResult]
    def __init__(self, results: _Optional[_Iterable[_Union[LineResult, _Mapping]]] = ...) -> None: ...

class Records(_message.Message):
    __slots__ = ["json"]
    JSON_FIELD_NUMBER: _ClassVar[int]
    json: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, json: _Optional[_Iterable[bytes]] = ...) -> None: ...
