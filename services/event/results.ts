import type { MessageInitShape } from "@bufbuild/protobuf";
import { DropReason, type RecordResultSchema, RefusalReason } from "../../gen/engage/event/v1/record_pb.ts";
import type {
  CheckedRecord,
  DroppedProperty,
  DropReason as DropWord,
  RefusalReason as RefusalWord,
} from "./record/record.ts";

/** A verdict as the contract has it. */
export function toResult(
  checked: CheckedRecord,
  limit: ToldLimit,
): MessageInitShape<typeof RecordResultSchema> {
  if (checked.kind !== "refused") {
    return { outcome: { case: "accepted", value: { dropped: limit(checked.dropped).map(toDropped) } } };
  }
  const { reason, field, message } = checked;
  return { outcome: { case: "refused", value: { reason: refusalReasons[reason], field, message } } };
}

/** Of the dropped properties of one record those that the answer reports. */
export type ToldLimit = (dropped: readonly DroppedProperty[]) => readonly DroppedProperty[];

/** Dropped properties in one answer: small requests must not make large ones. */
const maxTold = 20_000;

/** For the records of one answer in turn: all that was dropped, and once there were many the first of each record. */
export function createToldLimit(): ToldLimit {
  let left = maxTold;
  return (dropped) => {
    const told = left >= dropped.length ? dropped : dropped.slice(0, 1);
    left -= told.length;
    return told;
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

/** The word of a reason, as REST and metrics have it. */
export function dropWord(reason: DropReason): string {
  return dropWords.get(reason) ?? "unspecified";
}

export function refusalWord(reason: RefusalReason): string {
  return refusalWords.get(reason) ?? "unspecified";
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

const dropWords = turn(dropReasonOf);
const refusalWords = turn(refusalReasons);

function turn<T>(words: Readonly<Record<string, T>>): ReadonlyMap<T, string> {
  return new Map(Object.entries(words).map(([word, value]) => [value, word]));
}
