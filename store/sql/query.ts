/**
 * A store's operations are written once, as generators that yield queries and
 * are given rows. A driver runs them, each in one transaction: SQLite at once in
 * its worker thread, PostgreSQL over the network. The texts keep to what both
 * understand: `{name}` is a table, parameters are `$1`, `$2` … in the order of
 * their first use, times and flags are integers.
 */
export type Operation<T> = Generator<Query, T, readonly Row[]>;

export type Value = string | number | Uint8Array | null;

export interface Query {
  readonly sql: string;
  readonly params: readonly Value[];
  /** `sql` ends before VALUES, and each of these is inserted; `params` is empty. */
  readonly insert?: readonly (readonly Value[])[];
}

/** Columns by name. Which ones there are is known where the text is written. */
export type Row = object;

/** What an operation may know about where it runs. */
export interface Session {
  readonly nowMs: number;
  /** The same for a connection while it is kept: sums in a row for each shard don't make commits wait. 0-based. */
  readonly shard: number;
  readonly dialect: Dialect;
}

/** The differences between the engines, as pieces of text. */
export interface Dialect {
  /** Behind a SELECT: holds its rows until the commit. */
  readonly forUpdate: string;
  /** Behind a SELECT: the same for rows of this name, leaving out what others hold. */
  skipLocked(name: string): string;
  /** The integers of a parameter that is a JSON array, as a sub-select. */
  integersOf(param: string): string;
  /** Holds what the text `$1` names until the commit; null where transactions are one after the other anyway. */
  readonly lockName: string | null;
}

export function* all<T extends Row>(sql: string, ...params: Value[]): Operation<readonly T[]> {
  return (yield { sql, params }) as readonly T[];
}

export function* first<T extends Row>(sql: string, ...params: Value[]): Operation<T | null> {
  const [row] = (yield { sql, params }) as readonly T[];
  return row ?? null;
}

export function* run(sql: string, ...params: Value[]): Operation<void> {
  yield { sql, params };
}

/** `sql` is `INSERT INTO {table} (columns)`. */
export function* insertAll(sql: string, rows: readonly (readonly Value[])[]): Operation<void> {
  if (rows.length > 0) yield { sql, params: [], insert: rows };
}
