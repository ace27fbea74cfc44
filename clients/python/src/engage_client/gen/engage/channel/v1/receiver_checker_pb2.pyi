from engage_client.gen.engage.channel.v1 import channel_pb2 as _channel_pb2
from engage_client.gen.engage.gateway.v1 import limits_pb2 as _limits_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
PROBE_OUTCOME_FAILED: ProbeOutcome
PROBE_OUTCOME_PASSED: ProbeOutcome
PROBE_OUTCOME_SKIPPED: ProbeOutcome
PROBE_OUTCOME_UNSPECIFIED: ProbeOutcome
PROBE_SEVERITY_INFO: ProbeSeverity
PROBE_SEVERITY_MUST: ProbeSeverity
PROBE_SEVERITY_SHOULD: ProbeSeverity
PROBE_SEVERITY_UNSPECIFIED: ProbeSeverity

class CheckPlan(_message.Message):
    __slots__ = ["probes"]
    PROBES_FIELD_NUMBER: _ClassVar[int]
    probes: _containers.RepeatedCompositeFieldContainer[Probe]
    def __init__(self, probes: _Optional[_Iterable[_Union[Probe, _Mapping]]] = ...) -> None: ...

class CheckReceiverRequest(_message.Message):
    __slots__ = ["authentication", "custom_headers", "known_bad_push_id", "project_id", "requests_per_second", "second_secret", "skipped_probes", "timeout_seconds", "url"]
    AUTHENTICATION_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_HEADERS_FIELD_NUMBER: _ClassVar[int]
    KNOWN_BAD_PUSH_ID_FIELD_NUMBER: _ClassVar[int]
    PROJECT_ID_FIELD_NUMBER: _ClassVar[int]
    REQUESTS_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    SECOND_SECRET_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_PROBES_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    authentication: _channel_pb2.ChannelAuthentication
    custom_headers: _containers.RepeatedCompositeFieldContainer[_channel_pb2.CustomHeader]
    known_bad_push_id: str
    project_id: int
    requests_per_second: int
    second_secret: str
    skipped_probes: _containers.RepeatedScalarFieldContainer[str]
    timeout_seconds: int
    url: str
    def __init__(self, url: _Optional[str] = ..., authentication: _Optional[_Union[_channel_pb2.ChannelAuthentication, _Mapping]] = ..., second_secret: _Optional[str] = ..., custom_headers: _Optional[_Iterable[_Union[_channel_pb2.CustomHeader, _Mapping]]] = ..., known_bad_push_id: _Optional[str] = ..., project_id: _Optional[int] = ..., timeout_seconds: _Optional[int] = ..., requests_per_second: _Optional[int] = ..., skipped_probes: _Optional[_Iterable[str]] = ...) -> None: ...

class CheckReceiverResponse(_message.Message):
    __slots__ = ["plan", "result", "summary"]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    plan: CheckPlan
    result: ProbeResult
    summary: CheckSummary
    def __init__(self, plan: _Optional[_Union[CheckPlan, _Mapping]] = ..., result: _Optional[_Union[ProbeResult, _Mapping]] = ..., summary: _Optional[_Union[CheckSummary, _Mapping]] = ...) -> None: ...

class CheckSummary(_message.Message):
    __slots__ = ["correct", "duration", "failed", "notes", "passed", "recommendations", "skipped"]
    CORRECT_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    RECOMMENDATIONS_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    correct: bool
    duration: _duration_pb2.Duration
    failed: int
    notes: int
    passed: int
    recommendations: int
    skipped: int
    def __init__(self, correct: bool = ..., passed: _Optional[int] = ..., failed: _Optional[int] = ..., recommendations: _Optional[int] = ..., notes: _Optional[int] = ..., skipped: _Optional[int] = ..., duration: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class Probe(_message.Message):
    __slots__ = ["probe_id", "severity", "title"]
    PROBE_ID_FIELD_NUMBER: _ClassVar[int]
    SEVERITY_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    probe_id: str
    severity: ProbeSeverity
    title: str
    def __init__(self, probe_id: _Optional[str] = ..., title: _Optional[str] = ..., severity: _Optional[_Union[ProbeSeverity, str]] = ...) -> None: ...

class ProbeFailure(_message.Message):
    __slots__ = ["change", "request", "response", "rule"]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    change: str
    request: str
    response: str
    rule: str
    def __init__(self, request: _Optional[str] = ..., response: _Optional[str] = ..., rule: _Optional[str] = ..., change: _Optional[str] = ...) -> None: ...

class ProbeResult(_message.Message):
    __slots__ = ["detail", "duration", "failure", "outcome", "probe"]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    PROBE_FIELD_NUMBER: _ClassVar[int]
    detail: str
    duration: _duration_pb2.Duration
    failure: ProbeFailure
    outcome: ProbeOutcome
    probe: Probe
    def __init__(self, probe: _Optional[_Union[Probe, _Mapping]] = ..., outcome: _Optional[_Union[ProbeOutcome, str]] = ..., detail: _Optional[str] = ..., duration: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., failure: _Optional[_Union[ProbeFailure, _Mapping]] = ...) -> None: ...

class ProbeSeverity(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class ProbeOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
