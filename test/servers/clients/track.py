"""Reports records with grpcio: track.py TARGET DESCRIPTORS, prints one JSON object."""

import json
import sys

from contract import Contract, connect

target, descriptors = sys.argv[1:]
contract = Contract(descriptors)
Request = contract.message("engage.event.v1.TrackRequest")
StreamRequest = contract.message("engage.event.v1.TrackStreamRequest")
TRACK, USER_SET = (
    contract.pool.FindEnumTypeByName("engage.event.v1.RecordType").values_by_name[f"RECORD_TYPE_{name}"].number
    for name in ("TRACK", "USER_SET")
)


def login(request, account, city):
    record = request.records.add(type=TRACK, event_name="login", account_id=account)
    record.time.GetCurrentTime()
    record.properties["city"] = city


def counts(response):
    messages = [one.refused.message for one in response.results if one.HasField("refused")]
    return {"accepted": response.accepted, "refused": response.refused, "messages": messages}


batch = Request(appid="demo-app")
login(batch, "ann", "Porto")
login(batch, "bob", "Köln")
batch.records.add(type=USER_SET, account_id="ann").properties["level"] = 7
batch.records.add(type=TRACK, event_name="log in", account_id="ann")


def stream():
    """Two batches, of which the second is NDJSON as log shippers write it."""
    first = StreamRequest(sequence=1)
    first.batch.project_id = 1
    login(first.batch, "cleo", "Porto")
    yield first
    line = {"#type": "track", "#event_name": "login", "#account_id": "ann", "properties": {"city": "Porto"}}
    line["#time"] = first.batch.records[0].time.ToJsonString()[:19].replace("T", " ")
    second = StreamRequest(sequence=2)
    second.batch.project_id = 1
    second.batch.json_lines = json.dumps(line).encode()
    yield second


with connect(target) as channel:
    track = contract.method(channel, "engage.event.v1.EventCollector", "Track")
    track_stream = contract.method(channel, "engage.event.v1.EventCollector", "TrackStream")
    unary = counts(track(batch, timeout=20))
    streamed = [[one.sequence, counts(one.result)] for one in track_stream(stream(), timeout=20)]
    print(json.dumps({"unary": unary, "streamed": streamed}))
