import type { PropertyTable } from "../../../store/events/events.ts";
import { type CheckedValue, type DroppedProperty, type DropReason, show, type TypeLookup } from "./record.ts";

/** The state of checking a record's properties one by one. */
export interface Draft {
  readonly table: PropertyTable;
  readonly types: TypeLookup;
  /** Local time of the record to instant, in milliseconds. */
  readonly toInstant: (localMs: number) => number;
  readonly values: CheckedValue[];
  readonly dropped: DroppedProperty[];
  /** Whether a name was not in lower case, so that two names can be equal. */
  isMixed: boolean;
  /** Number of properties that may still be created. */
  room: number;
  /** Number of new names that are still allowed in this minute. */
  rateRoom: number;
  /** The first invalid name, for which the whole record is refused. */
  badName: string | undefined;
  /** Names of the first `values`, if there are many. */
  names: Set<string> | undefined;
}

/** Values of a record, including members of objects. */
const maxValues = 1_000;
/** Dropped properties that are reported for a record. */
const maxDropped = 1_000;
const maxNameLength = 100;

export function keepValue(draft: Draft, value: CheckedValue): DropReason | undefined {
  if (draft.values.length >= maxValues) return "too_many";
  if (value.known === undefined) {
    if (draft.room <= 0) return "property_limit";
    if (draft.rateRoom <= 0) return "name_rate";
    draft.room--;
    draft.rateRoom--;
  }
  draft.values.push(value);
  return undefined;
}

/** @param raw its value */
export function dropProperty(draft: Draft, name: string, reason: DropReason, raw?: unknown): void {
  if (draft.dropped.length >= maxDropped) return;
  const given = name.slice(0, maxNameLength);
  const message = reason === "number_range" ? numberAdvice(given, raw) : rateAdvice[reason];
  draft.dropped.push({ name: given, reason, ...(message !== undefined && { message }) });
}

const rateAdvice: Readonly<Partial<Record<DropReason, string>>> = {
  name_rate: "too many names were new within a minute (events.maxNewNamesPerMinute), send it again later",
};

function numberAdvice(name: string, raw: unknown): string {
  return `${name} ${show(raw)} is beyond ±${Number.MAX_SAFE_INTEGER} and would be changed, send it as text`;
}

/** Number of names up to which comparing them is faster than a set. */
const maxCompared = 24;

/** Reports whether the record has a value with this name, in constant time. */
export function isTaken(draft: Draft, name: string): boolean {
  const { values } = draft;
  if (values.length > maxCompared) {
    draft.names ??= new Set();
    for (let at = draft.names.size; at < values.length; at++) draft.names.add(values[at]!.name);
    return draft.names.has(name);
  }
  for (let at = 0; at < values.length; at++) {
    if (values[at]!.name === name) return true;
  }
  return false;
}
