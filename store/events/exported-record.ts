import { parseWithBigInts } from "../../base/json/exact-numbers.ts";
import type { ExportedRecord } from "./events.ts";
import type { ProjectSchema, Property } from "./schema.ts";
import { wholeOf } from "./user-operations.ts";

/** A stored event or user, with values as in a line of a batch. */
export interface StoredRow {
  readonly accountId: string | null;
  readonly distinctId: string | null;
  readonly values: ReadonlyMap<number, unknown>;
}

export interface StoredEvent extends StoredRow {
  readonly event: string;
  readonly timeMs: number;
  /** The id of an event which later records may change. */
  readonly eventId?: string;
}

const hourMs = 3_600_000;

/**
 * Returns the record from which an event could have been loaded. Its times are local to the event's own
 * `#zone_offset`, or to 0, which the record then contains.
 */
export function eventRecord(
  { event, timeMs, eventId, ...row }: StoredEvent,
  forms: readonly PropertyForm[],
): ExportedRecord {
  const offset = forms.find(({ property }) => property.name === "#zone_offset")?.property.number;
  const own = offset === undefined ? undefined : row.values.get(offset);
  const hours = typeof own === "number" && Math.abs(own) <= 14 ? own : 0;
  return {
    "#type": eventId === undefined ? "track" : "track_overwrite",
    ...identity(row),
    "#event_name": event,
    ...(eventId === undefined ? {} : { "#event_id": eventId }),
    "#time": localTime(timeMs + hours * hourMs),
    properties: { ...propertiesOf(row.values, forms, hours * hourMs), "#zone_offset": hours },
  };
}

/**
 * Returns a record from which a user could be loaded.
 * @param nowMs the time of the record, which a user does not have
 */
export function userRecord(row: StoredRow, forms: readonly PropertyForm[], nowMs: number): ExportedRecord {
  return {
    "#type": "user_set",
    ...identity(row),
    "#time": localTime(nowMs),
    properties: propertiesOf(row.values, forms, 0),
  };
}

function identity({ accountId, distinctId }: StoredRow): object {
  return {
    ...(accountId === null ? {} : { "#account_id": accountId }),
    ...(distinctId === null ? {} : { "#distinct_id": distinctId }),
  };
}

/** How a property appears in records; members appear only within their object. */
export interface PropertyForm {
  readonly property: Property;
  /** Members which are times: the object's text has them as they were given, in a zone which is not stored. */
  readonly times: readonly { readonly name: string; readonly number: number }[];
}

export function propertyForms(schema: ProjectSchema, table: Property["table"]): readonly PropertyForm[] {
  const own = [...schema.properties.values()].filter((one) => one.table === table);
  return own
    .filter((one) => wholeOf(schema, one) === undefined)
    .map((property) => ({
      property,
      times: own
        .filter((one) => one.type === "time" && wholeOf(schema, one) === property)
        .map(({ name, number }) => ({ name: name.slice(property.name.length + 1), number })),
    }));
}

function propertiesOf(
  values: ReadonlyMap<number, unknown>,
  forms: readonly PropertyForm[],
  offsetMs: number,
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const { property, times } of forms) {
    const value = values.get(property.number);
    if (value === undefined || value === null) continue;
    found[property.name] = valueFor(property, value, times, values, offsetMs);
  }
  return found;
}

function valueFor(
  { type }: Property,
  value: unknown,
  times: PropertyForm["times"],
  values: ReadonlyMap<number, unknown>,
  offsetMs: number,
): unknown {
  if (type === "time") return localTime(Number(value) + offsetMs);
  if (type !== "object" && type !== "object_group") return value;
  const whole = parseWithBigInts(String(value));
  for (const { name, number } of times) {
    const stored = values.get(number);
    const all = Array.isArray(whole) ? whole : [whole];
    const shown = Array.isArray(whole) ? (stored as unknown[] | undefined) : [stored];
    for (const [at, one] of all.entries()) setTime(one, name, shown?.[at], offsetMs);
  }
  return whole;
}

/** Sets a time in an object. Stored names are in lower case; the object has them as they were given. */
function setTime(object: Record<string, unknown>, name: string, value: unknown, offsetMs: number): void {
  if (typeof value !== "number") return;
  const key = Object.keys(object).find((one) => one.toLowerCase() === name) ?? name;
  object[key] = localTime(value + offsetMs);
}

/** Formats a time as `2026-01-31 09:05:07.123`. */
export function localTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 23).replace("T", " ");
}
