import type { Property } from "../../../store/events/events.ts";
import {
  convertScalar,
  isGroup,
  isMissing,
  jsonTextOf,
  maxListElements,
  misfitReason,
  naturalType,
  stringify,
} from "./convert.ts";
import { type Draft, dropProperty, keepValue } from "./draft.ts";
import { propertyNameOf } from "./names.ts";
import { maxKeys } from "./object.ts";
import type { DropReason } from "./record.ts";

/** A member of all elements of a group. */
interface Column {
  readonly known: Property | undefined;
  readonly type: Property["type"];
  readonly list: unknown[];
  isEmpty: boolean;
}

interface Group {
  readonly draft: Draft;
  readonly name: string;
  readonly length: number;
  /** Columns by the full name of the member. */
  readonly columns: Map<string, Column>;
  /** Keys that are reported as dropped. */
  readonly dropped: Set<string>;
}

/** Adds a list of objects as its JSON text, and each member as the list of its values. */
export function addGroup(
  draft: Draft,
  name: string,
  known: Property | undefined,
  raw: unknown,
): DropReason | undefined {
  if (!isGroup(raw)) return "type";
  const isLarge = raw.length > maxListElements || raw.some((one) => Object.keys(one).length > maxKeys);
  if (isLarge) return "too_many";
  const text = jsonTextOf(raw);
  if (text === undefined) return misfitReason(raw, "object_group");
  const full = keepValue(draft, { name, known, type: "object_group", group: undefined, value: text });
  if (full !== undefined) return full;
  const group: Group = { draft, name, length: raw.length, columns: new Map(), dropped: new Set() };
  for (const [at, element] of raw.entries()) {
    for (const key in element) {
      const reason = fillCell(group, at, key, element[key]);
      if (reason !== undefined) dropCell(group, key, reason, element[key]);
    }
  }
  for (const [member, { known: before, type, list, isEmpty }] of group.columns) {
    if (isEmpty) continue;
    const reason = keepValue(draft, { name: member, known: before, type, group: name, value: list });
    if (reason !== undefined) dropProperty(draft, member, reason);
  }
  return undefined;
}

function fillCell(group: Group, at: number, key: string, raw: unknown): DropReason | undefined {
  const member = propertyNameOf(key);
  if (member === undefined) return "name";
  if (isMissing(raw)) return undefined;
  const column = columnOf(group, `${group.name}.${member}`, raw);
  if (column === undefined) return "too_many";
  if (column.list[at] !== null) return "double";
  const flat = flatten(raw);
  const value = convertScalar(flat, column.type, group.draft);
  if (value === undefined) return misfitReason(flat, column.type);
  column.list[at] = value;
  column.isEmpty = false;
  return undefined;
}

/** Returns the column of a member; undefined if the group has too many members. */
function columnOf({ draft, length, columns }: Group, name: string, raw: unknown): Column | undefined {
  const column = columns.get(name);
  if (column !== undefined || columns.size >= maxKeys) return column;
  const known = draft.types.find(draft.table, name);
  const type = known?.type ?? naturalType(flatten(raw));
  const added = { known, type, list: new Array<unknown>(length).fill(null), isEmpty: true };
  columns.set(name, added);
  return added;
}

/** Converts values within members to text, including lists, since a member is a list already. */
function flatten(raw: unknown): unknown {
  return typeof raw === "object" ? stringify(raw) : raw;
}

/** Reports a dropped member once for all elements. */
function dropCell({ draft, name, dropped }: Group, key: string, reason: DropReason, raw: unknown): void {
  if (!dropped.has(key)) dropProperty(draft, `${name}.${key}`, reason, raw);
  dropped.add(key);
}
