import { type RecordType, recordTypes } from "../../../base/record/record-type.ts";
import { shorten } from "../../../base/text/quote.ts";
import { parseLocalTime } from "../../../base/time/local-time.ts";
import { dayMs } from "../../../base/time/units.ts";
import type { PropertyType } from "../../../store/events/events.ts";
import { isObject } from "./convert.ts";
import { type Draft, dropProperty } from "./draft.ts";
import { isEventName } from "./names.ts";
import { addProperty, addUnset, clearedBy, readZoneOffset, zoneOffset } from "./properties.ts";
import {
  type CheckedOperation,
  type CheckedRecord,
  type NameRoom,
  type RecordRules,
  type RefusalReason,
  type RefusedRecord,
  refuse,
  show,
} from "./record.ts";
import { type Root, readId, readRoot } from "./root.ts";

/** Three years, one of them with a leap day. */
const maxAgeMs = 1_096 * dayMs;
const maxAheadMs = 3 * dayMs;
const timeForm = "valid is yyyy-MM-dd HH:mm:ss or yyyy-MM-dd HH:mm:ss.SSS";

const operations: Readonly<Partial<Record<RecordType, CheckedOperation>>> = {
  user_set: "set",
  user_setOnce: "setOnce",
  user_add: "add",
  user_append: "append",
  user_uniq_append: "uniqAppend",
  user_unset: "unset",
  user_del: "del",
};
const onlyTypes: Readonly<Partial<Record<CheckedOperation, PropertyType>>> = {
  add: "number",
  append: "list",
  uniqAppend: "list",
};
const knownTypes: ReadonlySet<unknown> = new Set(recordTypes);
const noProperties: Readonly<Record<string, unknown>> = {};

/**
 * Checks one record, as `parseWithBigInts` reads it: refused as a whole, or accepted
 * with values that fit the types of its properties. It defines no properties:
 * the caller that keeps the record adds the values without `known` to
 * `rules.types` before the next record is checked.
 * @param receivedMs milliseconds since 1970
 */
export function checkRecord(json: unknown, rules: RecordRules, receivedMs: number): CheckedRecord {
  if (!isObject(json)) return refuse("not_an_object", "", `record is ${show(json)}, not an object`);
  const root = readRoot(json);
  if (!knownTypes.has(root.type)) {
    return refuse(
      "type",
      "#type",
      `#type ${show(root.type)} is not valid, valid are ${recordTypes.join(", ")}`,
    );
  }
  const properties = root.properties ?? noProperties;
  if (!isObject(properties)) {
    return refuse("properties", "properties", `properties is ${show(properties)}, not an object`);
  }
  const offsetMs = readZoneOffset(properties[zoneOffset]);
  const toInstant = offsetMs === undefined ? rules.toInstant : (local: number) => local - offsetMs;
  const localMs = typeof root.time === "string" ? parseLocalTime(root.time) : undefined;
  if (localMs === undefined) {
    return refuse("time_format", "#time", `#time ${show(root.time)} is not valid, ${timeForm}`);
  }
  const timeMs = toInstant(localMs);
  if (!isAcceptedTime(timeMs, receivedMs)) {
    return timeMs < receivedMs
      ? refuse("time_too_old", "#time", `#time ${show(root.time)} is more than 3 years ago`)
      : refuse("time_too_new", "#time", `#time ${show(root.time)} is more than 3 days ahead`);
  }
  const operation = operations[root.type as RecordType];
  const table = operation === undefined ? "event" : "user";
  const draft: Draft = {
    table,
    types: rules.types,
    toInstant,
    room: rules.types.room(table),
    values: [],
    dropped: [],
    isMixed: false,
    badName: undefined,
    names: undefined,
    rateRoom: rules.names?.rateRoom ?? Number.POSITIVE_INFINITY,
  };
  return complete(root, properties, operation, timeMs, draft, rules.names);
}

/** Reports whether the time of a record, in milliseconds since 1970, is neither too old nor too new. */
export function isAcceptedTime(timeMs: number, receivedMs: number): boolean {
  return timeMs >= receivedMs - maxAgeMs && timeMs <= receivedMs + maxAheadMs;
}

function complete(
  root: Root,
  properties: Readonly<Record<string, unknown>>,
  operation: CheckedOperation | undefined,
  timeMs: number,
  draft: Draft,
  names: NameRoom | undefined,
): CheckedRecord {
  const accountId = readId(root.accountId);
  const distinctId = readId(root.distinctId);
  if (accountId === null) return refuseId("#account_id", root.accountId);
  if (distinctId === null) return refuseId("#distinct_id", root.distinctId);
  if (accountId === undefined && distinctId === undefined) {
    return refuse("no_id", "#account_id", "#account_id and #distinct_id are both missing, one is required");
  }
  const uuid = readId(root.uuid);
  if (uuid === null) dropProperty(draft, "#uuid", "type");
  for (const key of root.others ?? []) dropProperty(draft, key, "root_key");
  const { values, dropped } = draft;
  const accepted = { timeMs, accountId, distinctId, uuid: uuid ?? undefined, values, dropped };
  if (operation !== undefined) {
    addUserProperties(draft, operation, properties);
    if (draft.badName !== undefined) return refuseName(draft.badName);
    const cleared = operation === "set" ? clearedBy(draft) : [];
    return { kind: "user", operation, ...accepted, cleared };
  }
  const name = root.eventName;
  if (typeof name !== "string" || !isEventName(name)) {
    const rule = "valid is a letter followed by at most 49 letters, digits and underscores";
    return refuse("event_name", "#event_name", `#event_name ${show(name)} is not valid, ${rule}`);
  }
  const isNew = names !== undefined && !names.hasEvent(name);
  if (isNew && names.eventRoom <= 0) return refuseEvent("event_limit", name);
  if (isNew && names.rateRoom <= 0) return refuseEvent("name_rate", name);
  if (isNew) draft.rateRoom--;
  const isTrack = root.type === "track";
  const eventId = isTrack ? undefined : readId(root.eventId);
  if (eventId === null) return refuseId("#event_id", root.eventId, "event_id");
  if (!isTrack && eventId === undefined) {
    return refuse("event_id", "#event_id", `#event_id is missing, ${root.type} needs it`);
  }
  addEventProperties(draft, root, properties);
  if (draft.badName !== undefined) return refuseName(draft.badName);
  if (eventId !== undefined) {
    const mode = root.type === "track_update" ? "update" : "overwrite";
    return { kind: "update", name, eventId, mode, ...accepted };
  }
  const firstCheckId = readId(root.firstCheckId);
  if (firstCheckId === null) dropProperty(draft, "#first_check_id", "type");
  return { kind: "event", name, firstCheckId: firstCheckId ?? undefined, ...accepted };
}

/** Adds the properties of an event. Members of the root precede equal properties. */
function addEventProperties(draft: Draft, root: Root, properties: Readonly<Record<string, unknown>>): void {
  if (root.ip !== undefined) addProperty(draft, "#ip", root.ip, undefined);
  if (root.appId !== undefined) addProperty(draft, "#app_id", root.appId, undefined);
  for (const key in properties) addProperty(draft, key, properties[key], undefined);
}

function addUserProperties(
  draft: Draft,
  operation: CheckedOperation,
  properties: Readonly<Record<string, unknown>>,
): void {
  if (operation === "del") return;
  const only = onlyTypes[operation];
  for (const key in properties) {
    // The offset belongs to the time of the record, not to the user.
    if (key === zoneOffset) continue;
    if (operation === "unset") addUnset(draft, key);
    else addProperty(draft, key, properties[key], only);
  }
}

function refuseEvent(reason: keyof typeof limitAdvice, name: string): RefusedRecord {
  return refuse(reason, "#event_name", `#event_name ${show(name)} is new, and ${limitAdvice[reason]}`);
}

const limitAdvice = {
  event_limit: "the project has as many names of events as events.maxEventNames allows",
  name_rate:
    "too many names were new within a minute (events.maxNewNamesPerMinute), it may be sent again later",
} as const;

function refuseName(key: string): RefusedRecord {
  const rule =
    "valid is a letter followed by at most 49 letters, digits and underscores, of a preset property # and such a name in lower case";
  return refuse(
    "property_name",
    `properties.${shorten(key)}`,
    `property name ${show(key)} is not valid, ${rule}`,
  );
}

function refuseId(field: string, value: unknown, reason: RefusalReason = "id"): RefusedRecord {
  const message = `${field} ${show(value)} is not valid, valid is a text of at most 2048 bytes`;
  return refuse(reason, field, message);
}
