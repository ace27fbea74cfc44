import type { Property, PropertyType } from "../../../store/events/events.ts";
import { convert, convertNumber, isBeyondRange, isMissing, misfitReason, naturalType } from "./convert.ts";
import { type Draft, dropProperty, isTaken, keepValue } from "./draft.ts";
import { addGroup } from "./group.ts";
import { isReserved, propertyNameOf } from "./names.ts";
import { addObject } from "./object.ts";
import type { DropReason } from "./record.ts";

const hash = 35;

const hourMs = 3_600_000;
/** The property that says how far the times of a record are east of UTC, in hours. */
export const zoneOffset = "#zone_offset";

/** Reads `#zone_offset`, in milliseconds east of UTC; undefined if it is not valid. */
export function readZoneOffset(raw: unknown): number | undefined {
  const hours = convertNumber(raw);
  return hours !== undefined && hours >= -12 && hours <= 14 ? Math.round(hours * hourMs) : undefined;
}

/**
 * Adds a property to the values or the dropped ones, or records that its name is not valid.
 * @param only the only type that the operation accepts, if there is one
 */
export function addProperty(draft: Draft, key: string, raw: unknown, only: PropertyType | undefined): void {
  const name = propertyNameOf(key);
  if (name === undefined) {
    draft.badName ??= key;
    return;
  }
  const reason = tryProperty(draft, key, name, raw, only);
  if (reason !== undefined) dropProperty(draft, key, reason, raw);
}

function tryProperty(
  draft: Draft,
  key: string,
  name: string,
  raw: unknown,
  only: PropertyType | undefined,
): DropReason | undefined {
  const isPreset = key.charCodeAt(0) === hash;
  if (isPreset && isReserved(name)) return "reserved";
  if (isMissing(raw)) return undefined;
  if (name !== key) draft.isMixed = true;
  if ((isPreset || draft.isMixed) && isTaken(draft, name)) return "double";
  const known = draft.types.find(draft.table, name);
  const type = known?.type ?? naturalType(raw);
  if (only !== undefined && type !== only) return isLargeNumber(raw) ? "number_range" : "type";
  if (type === "object") return addObject(draft, name, known, raw);
  if (type === "object_group") return addGroup(draft, name, known, raw);
  const value = convert(raw, type, draft);
  if (value === undefined) return misfitReason(raw, type);
  if (isPreset && name === zoneOffset && readZoneOffset(value) === undefined) return "range";
  return keepValue(draft, { name, known, type, group: undefined, value });
}

function isLargeNumber(raw: unknown): boolean {
  return (typeof raw === "number" || typeof raw === "bigint") && isBeyondRange(raw);
}

/** Adds a property to unset, and its members. An unknown property is ignored. */
export function addUnset(draft: Draft, key: string): void {
  const name = propertyNameOf(key);
  if (name === undefined) draft.badName ??= key;
  if (name === undefined || isTaken(draft, name)) return;
  const known = draft.types.find(draft.table, name);
  if (known === undefined) return;
  for (const property of [known, ...draft.types.members(draft.table, name)]) {
    const { type, group } = property;
    const value = { name: property.name, known: property, type, group, value: null };
    const reason = keepValue(draft, value);
    if (reason !== undefined) dropProperty(draft, key, reason);
  }
}

/** Returns the members of objects that these values do not have any more. */
export function clearedBy({ table, types, values }: Draft): readonly Property[] {
  const objects = values.filter(({ known, type }) => known !== undefined && type.startsWith("object"));
  if (objects.length === 0) return [];
  const names = new Set(values.map(({ name }) => name));
  return objects.flatMap(({ name }) => types.members(table, name)).filter(({ name }) => !names.has(name));
}
