import type { MessageInitShape } from "@bufbuild/protobuf";
import { DropReason, type RecordResultSchema, RefusalReason } from "../../gen/engage/event/v1/record_pb.ts";
import type {
  CheckedRecord,
  DroppedProperty,
  DropReason as DropWord,
  RefusalReason as RefusalWord,
} from "./record/record.ts";

/** Converts a verdict to a message. */
export function toResult(
  checked: CheckedRecord,
  limit: ReportLimit,
): MessageInitShape<typeof RecordResultSchema> {
  if (checked.kind !== "refused") {
    return { outcome: { case: "accepted", value: { dropped: limit(checked.dropped).map(toDropped) } } };
  }
  const { reason, field, message } = checked;
  return { outcome: { case: "refused", value: { reason: refusalReasons[reason], field, message } } };
}

/** Returns those dropped properties of a record that the response reports. */
export type ReportLimit = (dropped: readonly DroppedProperty[]) => readonly DroppedProperty[];

/** Dropped properties in one response, so that small requests cause no large responses; writing these takes 3 ms. */
const maxReported = 5_000;

/**
 * Creates the limit for the records of one response: all dropped properties, and after many only the first of each
 * record.
 */
export function createReportLimit(): ReportLimit {
  let left = maxReported;
  return (dropped) => {
    const reported = left >= dropped.length ? dropped : dropped.slice(0, 1);
    left -= reported.length;
    return reported;
  };
}

export function toDropped(dropped: DroppedProperty): {
  readonly name: string;
  readonly reason: DropReason;
  readonly message: string;
} {
  const { name, reason, message = "" } = dropped;
  return { name, reason: dropReasonOf[reason], message };
}

/** Returns the word of a reason in REST and metrics. */
export function dropReasonName(reason: DropReason): string {
  return dropReasonNames.get(reason) ?? "unspecified";
}

export function refusalReasonName(reason: RefusalReason): string {
  return refusalReasonNames.get(reason) ?? "unspecified";
}

/** Returns the value of a reason; faults of the service have none. */
export function refusalReasonOf(reason: RefusalWord | "internal"): RefusalReason {
  return reason === "internal" ? RefusalReason.UNSPECIFIED : refusalReasons[reason];
}

const refusalReasons: Readonly<Record<RefusalWord, RefusalReason>> = {
  not_json: RefusalReason.NOT_JSON,
  not_an_object: RefusalReason.NOT_AN_OBJECT,
  type: RefusalReason.TYPE,
  time_format: RefusalReason.TIME_FORMAT,
  time_too_old: RefusalReason.TIME_TOO_OLD,
  time_too_new: RefusalReason.TIME_TOO_NEW,
  no_id: RefusalReason.NO_ID,
  id: RefusalReason.ID,
  event_name: RefusalReason.EVENT_NAME,
  event_id: RefusalReason.EVENT_ID,
  properties: RefusalReason.PROPERTIES,
  property_name: RefusalReason.PROPERTY_NAME,
  too_large: RefusalReason.TOO_LARGE,
  event_limit: RefusalReason.EVENT_LIMIT,
  name_rate: RefusalReason.NAME_RATE,
};

const dropReasonOf: Readonly<Record<DropWord, DropReason>> = {
  root_key: DropReason.ROOT_KEY,
  name: DropReason.NAME,
  reserved: DropReason.RESERVED,
  double: DropReason.DOUBLE,
  type: DropReason.TYPE,
  range: DropReason.RANGE,
  number_range: DropReason.NUMBER_RANGE,
  too_long: DropReason.TOO_LONG,
  too_many: DropReason.TOO_MANY,
  too_deep: DropReason.TOO_DEEP,
  property_limit: DropReason.PROPERTY_LIMIT,
  name_rate: DropReason.NAME_RATE,
};

const dropReasonNames = invert(dropReasonOf);
const refusalReasonNames = invert(refusalReasons);

function invert<T>(byName: Readonly<Record<string, T>>): ReadonlyMap<T, string> {
  return new Map(Object.entries(byName).map(([name, value]) => [value, name]));
}
