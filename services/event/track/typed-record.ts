import type { JsonObject } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { RecordType as RecordTypeName } from "../../../base/record/record-type.ts";
import { formatLocalTime } from "../../../base/time/local-time.ts";
import {
  RecordType,
  RecordTypeSchema,
  type Record as TypedRecord,
} from "../../../gen/engage/event/v1/record_pb.ts";
import { readZoneOffset } from "../record/properties.ts";
import { type RefusedRecord, refuse } from "../record/record.ts";

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

/** Refuses a typed record with an unknown type or an invalid time. */
export function refuseTyped({ type, time }: TypedRecord): RefusedRecord | undefined {
  if (typeNames[type] === undefined) {
    const given = type === RecordType.UNSPECIFIED ? "is missing" : `${type} is not valid`;
    return refuse("type", "#type", `type ${given}, valid are ${validTypes.join(", ")}`);
  }
  if (time === undefined || isWritable(instantOf(time))) return undefined;
  const message = `time of ${time.seconds} seconds is not valid, valid is a time of the years 1 to 9999`;
  return refuse("time_format", "#time", message);
}

const validTypes: readonly string[] = RecordTypeSchema.values
  .filter(({ number }) => typeNames[number] !== undefined)
  .map(({ name }) => name);

/** Converts a typed record, which `refuseTyped` accepts, to a JSON record. */
export function toJsonRecord(record: TypedRecord, receivedMs: number): JsonObject {
  const { properties: given = {}, eventName, accountId, distinctId, uuid, ip, appId } = record;
  const { eventId, firstCheckId } = record;
  const offsetMs = readZoneOffset(given["#zone_offset"]);
  const properties: JsonObject = offsetMs === undefined ? { ...given, "#zone_offset": 0 } : given;
  const type = typeNames[record.type];
  const time = formatTime(record, receivedMs, offsetMs ?? 0);
  return {
    ...(type !== undefined && { "#type": type }),
    "#time": time,
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

/** Formats the time of a record. A time beyond the calendar becomes its nearest limit, and is refused for its age. */
function formatTime({ time }: TypedRecord, receivedMs: number, offsetMs: number): string {
  const localMs = (time === undefined ? receivedMs : instantOf(time)) + offsetMs;
  return formatLocalTime(Math.min(Math.max(localMs, minMs), maxMs));
}

function instantOf({ seconds, nanos }: Timestamp): number {
  return Number(seconds) * 1_000 + Math.floor(nanos / 1e6);
}

function isWritable(ms: number): boolean {
  return ms >= minMs && ms <= maxMs;
}
