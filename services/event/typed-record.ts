import type { JsonObject } from "@bufbuild/protobuf";
import { RecordType, type Record as TypedRecord } from "../../gen/engage/event/v1/record_pb.ts";
import { formatLocalTime } from "./record/local-time.ts";
import { readZoneOffset } from "./record/properties.ts";
import type { RecordType as RecordTypeName } from "./record/record.ts";

const typeNames: Readonly<{ [type: number]: RecordTypeName }> = {
  [RecordType.TRACK]: "track",
  [RecordType.TRACK_UPDATE]: "track_update",
  [RecordType.TRACK_OVERWRITE]: "track_overwrite",
  [RecordType.USER_SET]: "user_set",
  [RecordType.USER_SET_ONCE]: "user_setOnce",
  [RecordType.USER_ADD]: "user_add",
  [RecordType.USER_APPEND]: "user_append",
  [RecordType.USER_UNIQ_APPEND]: "user_uniq_append",
  [RecordType.USER_UNSET]: "user_unset",
  [RecordType.USER_DEL]: "user_del",
};

/** 0001-01-01 and 9999-12-31, in milliseconds since 1970. */
const minMs = -62_135_596_800_000;
const maxMs = 253_402_300_799_999;

/** The record as JSON lines have it. What can't be written is left out, so that the rules refuse it by its name. */
export function toJsonRecord(record: TypedRecord, receivedMs: number): JsonObject {
  const { properties: given = {}, eventName, accountId, distinctId, uuid, ip, appId } = record;
  const { eventId, firstCheckId } = record;
  const offsetMs = readZoneOffset(given["#zone_offset"]);
  const properties: JsonObject = offsetMs === undefined ? { ...given, "#zone_offset": 0 } : given;
  const type = typeNames[record.type];
  const time = formatTime(record, receivedMs, offsetMs ?? 0);
  return {
    ...(type !== undefined && { "#type": type }),
    ...(time !== undefined && { "#time": time }),
    ...(eventName !== "" && { "#event_name": eventName }),
    ...(accountId !== "" && { "#account_id": accountId }),
    ...(distinctId !== "" && { "#distinct_id": distinctId }),
    ...(uuid !== "" && { "#uuid": uuid }),
    ...(ip !== "" && { "#ip": ip }),
    ...(appId !== "" && { "#app_id": appId }),
    ...(eventId !== "" && { "#event_id": eventId }),
    ...(firstCheckId !== "" && { "#first_check_id": firstCheckId }),
    properties,
  };
}

function formatTime({ time }: TypedRecord, receivedMs: number, offsetMs: number): string | undefined {
  const instantMs =
    time === undefined ? receivedMs : Number(time.seconds) * 1_000 + Math.floor(time.nanos / 1e6);
  const localMs = instantMs + offsetMs;
  return localMs >= minMs && localMs <= maxMs ? formatLocalTime(localMs) : undefined;
}
