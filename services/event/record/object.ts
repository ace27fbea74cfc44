import type { Property, PropertyType } from "../../../store/events/events.ts";
import {
  convert,
  isGroup,
  isMissing,
  isObject,
  jsonTextOf,
  misfitReason,
  naturalType,
  stringify,
} from "./convert.ts";
import { type Draft, dropProperty, isTaken, keepValue } from "./draft.ts";
import { propertyNameOf } from "./names.ts";
import type { DropReason } from "./record.ts";

export const maxKeys = 100;

/** Adds an object as its JSON text, and each of its members as a property. */
export function addObject(
  draft: Draft,
  name: string,
  known: Property | undefined,
  raw: unknown,
): DropReason | undefined {
  if (!isObject(raw)) return "type";
  if (Object.keys(raw).length > maxKeys) return "too_many";
  const text = jsonTextOf(raw);
  if (text === undefined) return misfitReason(raw, "object");
  const full = keepValue(draft, { name, known, type: "object", group: undefined, value: text });
  if (full !== undefined) return full;
  for (const key in raw) {
    const reason = addMember(draft, name, key, raw[key]);
    if (reason !== undefined) dropProperty(draft, `${name}.${key}`, reason, raw[key]);
  }
  return undefined;
}

function addMember(draft: Draft, object: string, key: string, raw: unknown): DropReason | undefined {
  const member = propertyNameOf(key);
  if (member === undefined) return "name";
  if (isMissing(raw)) return undefined;
  const name = `${object}.${member}`;
  if (isTaken(draft, name)) return "double";
  const known = draft.types.find(draft.table, name);
  // Members have no members: values within them become text.
  const flat = isObject(raw) || (known?.type !== "list" && isGroup(raw)) ? stringify(raw) : raw;
  const type: PropertyType = known === undefined ? naturalType(flat) : known.type;
  const value = convert(flat, type, draft);
  if (value === undefined) return misfitReason(flat, type);
  return keepValue(draft, { name, known, type, group: undefined, value });
}
