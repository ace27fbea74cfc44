import type { PropertyTable } from "../../../store/events/events.ts";
import type { CheckedValue, DroppedProperty, DropReason, TypeLookup } from "./record.ts";

/** What becomes of a record's properties while they are looked at one by one. */
export interface Draft {
  readonly table: PropertyTable;
  readonly types: TypeLookup;
  /** Local time of the record to instant, in milliseconds. */
  readonly toInstant: (localMs: number) => number;
  readonly values: CheckedValue[];
  readonly dropped: DroppedProperty[];
  /** Whether a name so far was not given in lower case: only then can two be the same. */
  isMixed: boolean;
  /** How many values may still be the first of their property. */
  room: number;
  /** The first key that is no name, for which the whole record is refused. */
  badName: string | undefined;
}

/** Members of objects included. */
const maxValues = 1_000;
/** More than this is not told of one record; whatever it holds is dropped all the same. */
const maxDropped = 1_000;
const maxNameLength = 100;

export function keepValue(draft: Draft, value: CheckedValue): DropReason | undefined {
  if (draft.values.length >= maxValues) return "too_many";
  if (value.known === undefined && draft.room-- <= 0) return "property_limit";
  draft.values.push(value);
  return undefined;
}

export function dropProperty(draft: Draft, name: string, reason: DropReason): void {
  if (draft.dropped.length < maxDropped) draft.dropped.push({ name: name.slice(0, maxNameLength), reason });
}

/** Whether a value of this name was kept, looked for from a place in `values` on. */
export function isTaken({ values }: Draft, name: string, from: number): boolean {
  for (let at = from; at < values.length; at++) {
    if (values[at]!.name === name) return true;
  }
  return false;
}
