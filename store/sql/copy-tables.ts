import { existsSync } from "node:fs";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { OccupiedError } from "./faults.ts";
import type { PostgresConnection } from "./postgres/connect.ts";
import type { PostgresStore } from "./postgres/store.ts";
import { type RunQuery, runTransaction } from "./postgres/transaction.ts";
import type { SqliteStore } from "./sqlite/sqlite.ts";

export interface TableCopy {
  /** The file. No process has it open. */
  readonly path: string;
  readonly from: Pick<SqliteStore, "migrations" | "faults">;
  readonly to: Pick<PostgresStore, "faults" | "tableOf">;
  readonly connection: PostgresConnection & { readonly schema: string };
  /** Tables with the same columns in both. */
  readonly tables: readonly CopiedTable[];
}

export interface CopiedTable {
  readonly name: string;
  /** The sequence of its numbers: `{name}`, or of a column of the table. */
  readonly sequence?: { readonly column: string } | { readonly name: string };
}

export interface CopyCounts {
  readonly rows: number;
  /** Whether an earlier copy was found. */
  readonly isFound: boolean;
}

/** The limit of a statement is 65,535. */
const maxParameters = 30_000;
const maxBytes = 8 * 1_048_576;
const statementTimeoutMs = 600_000;

/**
 * Copies the tables of a file into empty ones of a database, in one transaction. When they hold as many rows already,
 * an earlier copy was committed.
 * @throws OccupiedError
 */
export async function copyTables(copy: TableCopy): Promise<CopyCounts> {
  if (!existsSync(copy.path)) return { rows: 0, isFound: false };
  using source = openSource(copy);
  return await runTransaction(copy.to, { ...copy.connection, statementTimeoutMs }, async (query) => {
    const counts = new Map(copy.tables.map(({ name }) => [name, countSource(source.db, name)]));
    const found = await countRows(
      query,
      copy.tables.map(({ name }) => name),
    );
    const rows = [...counts.values()].reduce((sum, count) => sum + count, 0);
    if ([...found].every(([name, count]) => counts.get(name) === count)) return { rows, isFound: rows > 0 };
    const other = [...found].find(([, count]) => count > 0);
    if (other !== undefined) {
      const words = `${other[1]} rows, and the file ${JSON.stringify(copy.path)} has ${counts.get(other[0])}`;
      throw new OccupiedError(`table ${copy.to.tableOf(other[0])} of ${copy.to.faults.noun} has ${words}`);
    }
    for (const table of copy.tables) await copyTable(source.db, query, table);
    return { rows, isFound: false };
  });
}

/** Counts the rows of tables, which other transactions cannot change until the commit. */
export async function countRows(
  query: RunQuery,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const name of names) {
    await query(`LOCK TABLE {${name}} IN SHARE ROW EXCLUSIVE MODE`);
    const [row] = await query<{ rows: number }>(`SELECT count(*) AS rows FROM {${name}}`);
    counts.set(name, row!.rows);
  }
  return counts;
}

function openSource({ path, from }: TableCopy): Disposable & { readonly db: DatabaseSync } {
  const { OpenError, UnavailableError, noun } = from.faults;
  const db = new DatabaseSync(path, { timeout: 2_000 });
  try {
    const { user_version: version } = db.prepare("PRAGMA user_version").get() as { user_version: number };
    if (version !== from.migrations.length) {
      const words = `has version ${version}, this program needs ${from.migrations.length}: start it on the file once`;
      throw new OpenError(`${noun} file ${JSON.stringify(path)} ${words}`);
    }
    return { db, [Symbol.dispose]: () => db.close() };
  } catch (error) {
    db.close();
    if (error instanceof OpenError) throw error;
    throw new UnavailableError(`${noun} file ${JSON.stringify(path)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function countSource(db: DatabaseSync, table: string): number {
  return (db.prepare(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number }).rows;
}

async function copyTable(db: DatabaseSync, query: RunQuery, { name, sequence }: CopiedTable): Promise<void> {
  const columns = db.prepare(`SELECT name FROM pragma_table_info('${name}')`).all() as { name: string }[];
  const names = columns.map((column) => column.name);
  const insert = async (rows: readonly (readonly SQLOutputValue[])[]): Promise<void> => {
    if (rows.length === 0) return;
    const places = rows.map(
      (_row, at) => `(${names.map((_name, column) => `$${at * names.length + column + 1}`).join(", ")})`,
    );
    await query(`INSERT INTO {${name}} (${names.join(", ")}) VALUES ${places.join(", ")}`, rows.flat());
  };
  let rows: SQLOutputValue[][] = [];
  let bytes = 0;
  for (const row of db.prepare(`SELECT ${names.join(", ")} FROM ${name}`).iterate()) {
    const values = names.map((column) => row[column]!);
    rows.push(values);
    for (const value of values)
      if (value instanceof Uint8Array || typeof value === "string") bytes += value.length;
    if ((rows.length + 1) * names.length <= maxParameters && bytes < maxBytes) continue;
    await insert(rows);
    rows = [];
    bytes = 0;
  }
  await insert(rows);
  if (sequence !== undefined) await moveSequence(db, query, name, sequence);
}

/** Numbers are never assigned again, not even those of deleted rows. */
async function moveSequence(
  db: DatabaseSync,
  query: RunQuery,
  table: string,
  sequence: CopiedTable["sequence"] & object,
): Promise<void> {
  const found = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = ?").get(table);
  const last = Number(found?.["seq"] ?? 0);
  if (last === 0) return;
  const of =
    "name" in sequence
      ? `'{${sequence.name}}'`
      : `pg_get_serial_sequence('{${table}}', '${sequence.column}')`;
  await query(`SELECT setval(${of}, $1)`, [last]);
}
