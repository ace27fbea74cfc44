import { readFileSync } from "node:fs";
import { checkRecord } from "../../../../services/event/record/check-record.ts";
import type { CheckedRecord, RefusedRecord } from "../../../../services/event/record/record.ts";
import { createTypeTable } from "../../../../services/event/record/type-table.ts";
import type { PropertyTable, PropertyType } from "../../../../store/events/events.ts";

/** 2026-01-03 00:00 UTC. */
export const nowMs = Date.UTC(2026, 0, 3);

export function readCase(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../testdata/cases/${name}`, import.meta.url), "utf8"));
}

/** Types by `event:name` or `user:name`. */
export type KnownTypes = Readonly<Record<string, PropertyType>>;

/** Checks a record of a project in UTC. */
export function check(json: unknown, known: KnownTypes = {}, receivedMs = nowMs): CheckedRecord {
  const properties = Object.entries(known).map(([key, type], i) => {
    const [table, name] = key.split(":") as [PropertyTable, string];
    return { table, name, type, number: i + 1 };
  });
  return checkRecord(
    json,
    { types: createTypeTable(properties), toInstant: (localMs) => localMs },
    receivedMs,
  );
}

/** An event with these properties, as it is sent. */
export function event(properties: unknown, root: Readonly<Record<string, unknown>> = {}): unknown {
  return {
    "#type": "track",
    "#event_name": "e",
    "#account_id": "a",
    "#time": "2026-01-02 03:04:05",
    ...root,
    properties,
  };
}

export function user(type: string, properties: unknown): unknown {
  return { "#type": type, "#account_id": "a", "#time": "2026-01-02 03:04:05", properties };
}

export function accepted(checked: CheckedRecord): Exclude<CheckedRecord, RefusedRecord> {
  if (checked.kind === "refused") throw new Error(`refused: ${checked.message}`);
  return checked;
}

/** Returns the values of an accepted record, by name. */
export function valuesOf(checked: CheckedRecord): Readonly<Record<string, unknown>> {
  return Object.fromEntries(accepted(checked).values.map(({ name, value }) => [name, value]));
}

export function typesOf(checked: CheckedRecord): Readonly<Record<string, unknown>> {
  return Object.fromEntries(accepted(checked).values.map(({ name, type }) => [name, type]));
}

/** `name: reason` of what was dropped. */
export function droppedOf(checked: CheckedRecord): readonly string[] {
  return accepted(checked).dropped.map(({ name, reason }) => `${name}: ${reason}`);
}
