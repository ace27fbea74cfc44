import { Readable } from "node:stream";
import { createYield } from "../../../../base/async/yield.ts";
import type { Property } from "../../schema.ts";
import { propertyColumn } from "../layout.ts";
import { insertSettings, type Target } from "./target.ts";

/** A row to insert, by column; columns without a value may be missing. */
export type NewRow = Readonly<Record<string, unknown>>;

/** Writing this many rows takes a few milliseconds. */
const rowsPerSlice = 500;

/** Inserts rows into a table of each shard. */
export async function insertRows(
  { connection, signal }: Pick<Target, "connection" | "signal">,
  table: string,
  columns: readonly string[],
  rows: ReadonlyMap<number, readonly NewRow[]>,
): Promise<void> {
  const sql = `INSERT INTO ${table} (${columns.join(", ")}) FORMAT JSONEachRow`;
  await connection.onEach(async (shard, ended) => {
    const own = rows.get(shard) ?? [];
    if (own.length === 0) return;
    const values = Readable.from(linesOf(own), { objectMode: false });
    await connection.insert(shard, { sql, settings: insertSettings, signal: ended }, values);
  }, signal);
}

async function* linesOf(rows: readonly NewRow[]): AsyncGenerator<Buffer, void> {
  const yieldToEventLoop = createYield();
  for (let at = 0; at < rows.length; at += rowsPerSlice) {
    const lines = rows.slice(at, at + rowsPerSlice).map((row) => `${JSON.stringify(row)}\n`);
    yield Buffer.from(lines.join(""));
    await yieldToEventLoop();
  }
}

/** Returns the columns of the values of properties. */
export function valueColumns(values: ReadonlyMap<number, unknown>): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const [number, value] of values) {
    columns[propertyColumn({ number })] = Array.isArray(value) ? value.map(withoutSign) : withoutSign(value);
  }
  return columns;
}

/** The engine takes zeros of different signs for different values. */
const withoutSign = (value: unknown): unknown => (value === 0 ? 0 : value);

/**
 * Reads the values of properties from a row's columns, from `first` on. 64-bit integers are texts in
 * rows; null and empty lists are no values.
 */
export function valuesOf(
  row: readonly unknown[],
  first: number,
  properties: readonly Property[],
): Map<number, unknown> {
  const values = new Map<number, unknown>();
  for (const [at, property] of properties.entries()) {
    const value = row[first + at];
    if (value === null || (Array.isArray(value) && value.length === 0)) continue;
    values.set(property.number, property.type === "time" ? timesOf(value) : value);
  }
  return values;
}

function timesOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => (one === null ? null : Number(one)));
  return Number(value);
}

/** Returns a text as a literal. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
