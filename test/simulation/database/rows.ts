import type { Step } from "./translate.ts";

/** The rows of one part of a statement, by the name of the part. */
export interface NamedRows {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** Gives a step the rows of the parts it reads. */
export function withRows(
  { sql, params }: Step,
  named: readonly NamedRows[],
): { readonly sql: string; readonly params: readonly unknown[] } {
  const used = named.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(sql));
  if (used.length === 0) return { sql, params: [] };
  const values: unknown[] = [];
  const parts = used.map(({ name, columns, rows }) => {
    const list = rows.map((row) => `(${columns.map((column) => placeOf(row[column])).join(", ")})`);
    const body =
      rows.length === 0
        ? `SELECT ${columns.map(() => "NULL").join(", ")} WHERE 0`
        : `VALUES ${list.join(", ")}`;
    return `${name}(${columns.map((column) => `"${column}"`).join(", ")}) AS (${body})`;
  });
  return { sql: `WITH ${parts.join(", ")} ${sql}`, params: values };

  function placeOf(value: unknown): string {
    values.push(value);
    return `?${params.length + values.length}`;
  }
}

/** Converts a parameter. */
export function toBound(value: unknown): null | string | number | bigint | Uint8Array {
  // SQLite takes other numbers for floating-point numbers.
  return Number.isInteger(value) ? BigInt(value as number) : (value as null | string | number | Uint8Array);
}

/** The driver parses the columns whose type is JSON. */
const jsonColumns = ["hidden", "events", "properties", "cohorts", "deletions", "projects"] as const;

/** Replaces the texts in these columns of a row by what they describe. */
export function parseJson(row: Record<string, unknown>): object {
  for (const column of jsonColumns) {
    const value = row[column];
    if (typeof value === "string" && value.startsWith("[")) row[column] = JSON.parse(value);
  }
  return row;
}
