"""Asks for numbers and users with grpcio: analyze.py TARGET DESCRIPTORS TOKEN, prints one JSON object."""

import json
import sys

import grpc
from contract import Contract, connect
from google.protobuf import json_format

target, descriptors, token = sys.argv[1:]
contract = Contract(descriptors)
service = "engage.analysis.v1.AnalysisProxy"
Status = contract.message("google.rpc.Status")

view = {
    "recentDay": "0-1",
    "timeParticleSize": "TIME_PARTICLE_SIZE_TOTAL",
    "groupBy": [{"columnName": "city", "tableType": "TABLE_TYPE_EVENT"}],
}
logins = {"type": "METRIC_TYPE_NORMAL", "eventName": "login"}
query = {
    "projectId": 1,
    "eventView": view,
    "events": [
        {**logins, "analysis": "AGGREGATION_TOTAL_TIMES"},
        {**logins, "analysis": "AGGREGATION_TRIG_USER_NUM"},
    ],
}
porto = {**query, "eventIndex": 1, "sliceGroupVal": [{"label": "Porto"}]}


def request(method, body, with_token=True):
    message = contract.message(f"engage.analysis.v1.{method}Request")(token=token if with_token else "")
    json_format.ParseDict(body, message.query)
    return message


def label(group):
    return [value.label for value in group.group_cols]


def numbers(result):
    return {label(entry)[0]: list(entry.values.numbers) for entry in result.entries}


def plain(values):
    return [json_format.MessageToDict(value) for value in values]


def failure(call):
    """Code, return code and fields of a call that fails."""
    try:
        call()
        return None
    except grpc.RpcError as error:
        trailers = dict(error.trailing_metadata())
        found = {"code": error.code().name, "fields": []}
        for detail in Status.FromString(trailers["grpc-status-details-bin"]).details:
            message = contract.message(detail.TypeName())()
            detail.Unpack(message)
            if detail.TypeName() == "google.rpc.ErrorInfo":
                found["return_code"] = message.metadata["return_code"]
            if detail.TypeName() == "google.rpc.BadRequest":
                found["fields"] = [violation.field for violation in message.field_violations]
        return found


def departure(call):
    """What a stream ends with that is left after its first piece."""
    next(call)
    call.cancel()
    return call.code().name


with connect(target) as channel:
    analyze, list_users, download, download_users = (
        contract.method(channel, service, name)
        for name in ("AnalyzeEvents", "ListEventUsers", "DownloadEvents", "DownloadEventUsers")
    )
    result = analyze(request("AnalyzeEvents", query), timeout=20)
    users = list_users(request("ListEventUsers", porto), timeout=20).data.datalist
    tables = list(download(request("DownloadEvents", query), timeout=20))
    columns = {**porto, "selectedColumns": ["#account_id", "level"]}
    lists = list(download_users(request("DownloadEventUsers", columns), timeout=20))
    answers = {
        "return_code": result.return_code,
        "analyzed": [numbers(metric) for metric in result.data.y],
        "users": sorted([user.account_id, json_format.MessageToDict(user.properties).get("level")] for user in users),
        "pieces": [piece.WhichOneof("content") for piece in tables],
        "downloaded": [numbers(piece.rows) for piece in tables[1:]],
        "columns": [column.name for column in lists[0].header.columns],
        "rows": sorted(plain(row.values) for piece in lists[1:] for row in piece.rows.rows),
        "left": departure(download(request("DownloadEvents", query), timeout=20)),
        "without_token": failure(lambda: analyze(request("AnalyzeEvents", query, False), timeout=20)),
        "without_events": failure(lambda: analyze(request("AnalyzeEvents", {**query, "events": []}), timeout=20)),
        "stream_without_token": failure(lambda: list(download(request("DownloadEvents", query, False), timeout=20))),
    }
    print(json.dumps(answers))
