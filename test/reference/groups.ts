import { formatMilli, formatSecond, parseTime } from "./calendar.ts";
import { type Column, readColumn } from "./columns.ts";
import { type Json, readObject, readText, readWord, toNumber } from "./form.ts";
import type { ReferenceEvent } from "./ingest.ts";
import type { QueryContext } from "./query.ts";
import { Refused } from "./refused.ts";
import type { Scalar } from "./values.ts";

export type Label = string | null;

/** One column by which results are broken down. */
export interface Key {
  readonly column: Column;
  readonly label: (value: Scalar) => string;
}

/** @param eventsOf all events of the query, looked at only where intervals depend on them */
export function readKey(
  json: Json,
  field: string,
  context: QueryContext,
  eventsOf: () => readonly ReferenceEvent[],
): Key {
  const column = readColumn(json, field, context);
  const boundaries = readBoundaries(readText(json, "propertyRange", `${field}.propertyRange`), column, field);
  const types = ["discrete", "def", "custom"] as const;
  const type = readWord(json, "propertyRangeType", `${field}.propertyRangeType`, types);
  const plain = (value: Scalar) => labelOf(column, value);
  const isTime = column.type === "time";
  const isCuttable =
    column.type === "number" || isTime || column.type === "nothing" || column.type === "cohort";
  if (boundaries.length > 0 && type !== "discrete" && !isCuttable) {
    throw new Refused(`${field}.propertyRange`, `a ${column.type} is not cut`);
  }
  if ((column.type !== "number" && !isTime) || type === "discrete") return { column, label: plain };
  if (boundaries.length > 0) return { column, label: intervalLabel(boundaries, plain) };
  const intervals = type === "def" && !isTime ? spreadOf(column, eventsOf()) : undefined;
  return { column, label: intervals ? intervalLabel(intervals, plain) : plain };
}

function labelOf(column: Column, value: Scalar): string {
  if (column.type !== "time") return String(value);
  const text = formatMilli(Number(value));
  return text.endsWith(".000") ? formatSecond(Number(value)) : text;
}

function readBoundaries(text: string | undefined, column: Column, field: string): readonly number[] {
  if (text === undefined) return [];
  const read = (part: string) => (column.type === "time" ? parseTime(part)?.ms : toNumber(part));
  const numbers = text.split(",").map((part) => read(part.trim()));
  for (const [at, number] of numbers.entries()) {
    const before = at === 0 ? -Infinity : numbers[at - 1]!;
    if (number === undefined || number <= before) {
      throw new Refused(`${field}.propertyRange`, `not ascending numbers: ${text}`);
    }
  }
  return numbers as number[];
}

function intervalLabel(
  boundaries: readonly number[],
  write: (boundary: number) => string,
): (value: Scalar) => string {
  const texts = boundaries.map(write);
  return (value) => {
    const above = boundaries.filter((boundary) => Number(value) >= boundary).length;
    const start = above === 0 ? "(-inf" : `[${texts[above - 1]}`;
    return `${start},${texts[above] ?? "+inf"})`;
  };
}

/** Twelve intervals of a number with twenty values or more, equal but for less than a hundredth. */
function spreadOf(column: Column, events: readonly ReferenceEvent[]): readonly number[] | undefined {
  const values = new Set(
    events.flatMap((event) => column.get(event) ?? []).filter((value) => value !== null),
  );
  if (values.size < 20) return undefined;
  const numbers = [...values] as number[];
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const places = 2 - Math.floor(Math.log10((high - low) / 12));
  const bounds = Array.from({ length: 11 }, (_, at) => low + ((high - low) * (at + 1)) / 12);
  return bounds.map((bound) => Number(`${Math.round(bound * 10 ** places)}e${-places}`) + 0);
}

/** The groups an event belongs to, each once. */
export function groupsOf(keys: readonly Key[], event: ReferenceEvent): readonly (readonly Label[])[] {
  const axes = Map.groupBy(keys.keys(), (at) => keys[at]!.column.group ?? `own ${at}`);
  let groups: Label[][] = [new Array<Label>(keys.length).fill(null)];
  for (const positions of axes.values()) {
    const rows = axisRows(
      positions.map((at) => keys[at]!),
      event,
    );
    groups = groups.flatMap((group) =>
      rows.map((row) =>
        group.map((label, at) => (positions.includes(at) ? row[positions.indexOf(at)]! : label)),
      ),
    );
  }
  return groups;
}

/** Element by element where there are several. */
function axisRows(keys: readonly Key[], event: ReferenceEvent): readonly (readonly Label[])[] {
  const cells = keys.map(({ column }) => column.get(event));
  const length = Math.max(...cells.map((cell) => (Array.isArray(cell) ? cell.length : 1)));
  const rows = Array.from({ length }, (_, position) =>
    cells.map((cell, at) => {
      const value = Array.isArray(cell) ? cell[position] : (cell as Scalar | null);
      return value === null || value === undefined ? null : keys[at]!.label(value);
    }),
  );
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
}

export function readKeys(
  list: readonly unknown[],
  field: string,
  context: QueryContext,
  eventsOf: () => readonly ReferenceEvent[],
): readonly Key[] {
  return list.map((entry, at) =>
    readKey(readObject(entry, `${field}[${at}]`), `${field}[${at}]`, context, eventsOf),
  );
}
