/**
 * An operation of a store is written once for both engines: a generator which yields queries and
 * receives their rows. A driver runs it in one transaction: SQLite synchronously in its worker thread,
 * PostgreSQL over the network. The SQL is the subset that both understand: `{name}` is a table,
 * parameters are `$1`, `$2` … in the order of their first use, times and flags are integers.
 */
export type Operation<T> = Generator<Query, T, readonly Row[]>;

export type Value = string | number | Uint8Array | null;

/** One statement and its parameters. */
export interface Query {
  readonly sql: string;
  readonly params: readonly Value[];
  /** Rows to insert: `sql` ends before VALUES, and `params` is empty. */
  readonly insert?: readonly (readonly Value[])[];
  /** The column of the number that the inserted row gets, which is the `number` of the one row returned. */
  readonly numbered?: string;
  /** Whether its text is not repeated, so that a connection does not prepare it. */
  readonly isUnique?: boolean;
  /** The columns of a SELECT of large rows, which PostgreSQL then sends in binary. `params` are whole numbers. */
  readonly binary?: BinaryColumns;
}

/** The types of columns, none of which is null, in their order. */
export type BinaryColumns = Readonly<Record<string, "bigint" | "bytes">>;

/** A row, with its columns by name. The code which writes the statement knows their types. */
export type Row = object;

/** What an operation knows about the environment it runs in. */
export interface Session {
  readonly nowMs: number;
  /**
   * The 0-based shard of sums which this connection updates, so that commits do not wait for each
   * other. Stable for a connection.
   */
  readonly shard: number;
  readonly dialect: Dialect;
}

/** The differences between the engines, as pieces of SQL. */
export interface Dialect {
  /** Follows a SELECT: locks its rows until the commit. */
  readonly forUpdate: string;
  /** Follows a SELECT: locks the rows of this table alias, and skips rows that others have locked. */
  skipLocked(name: string): string;
  /** A subquery with the integers of a parameter which is a JSON array. */
  integersOf(param: string): string;
  /** A condition: the bytes of a column contain those of a parameter. */
  containsBytes(column: string, param: string): string;
  /** A condition: the text of a column contains that of a parameter. */
  containsText(column: string, param: string): string;
  /**
   * Whether large values are compressed before they are stored. SQLite writes each byte twice; a value in
   * PostgreSQL must be readable for replicas of the version before.
   */
  readonly compressesLarge: boolean;
  /** Whether keys are stored with digests of their values, which replicas of the version before compare. */
  readonly storesDigests: boolean;
  /** Locks the name `$1` until the commit; null where transactions are serialized anyway. */
  readonly lockName: string | null;
}

/** Runs a query; returns all rows. */
export function* all<T extends Row>(sql: string, ...params: Value[]): Operation<readonly T[]> {
  return (yield { sql, params }) as readonly T[];
}

/** Runs a query; returns the first row, or null. */
export function* first<T extends Row>(sql: string, ...params: Value[]): Operation<T | null> {
  const [row] = (yield { sql, params }) as readonly T[];
  return row ?? null;
}

/** Runs a statement without a result. */
export function* run(sql: string, ...params: Value[]): Operation<void> {
  yield { sql, params };
}

/** Inserts a row and returns the number it gets in a column. On SQLite, RETURNING takes longer than the insert. */
export function* insertNumbered(sql: string, column: string, ...params: Value[]): Operation<number> {
  const [row] = (yield { sql, params, numbered: column }) as readonly { readonly number: number }[];
  return row!.number;
}

/** Inserts rows. `sql` is `INSERT INTO {table} (columns)`. */
export function* insertAll(sql: string, rows: readonly (readonly Value[])[]): Operation<void> {
  if (rows.length > 0) yield { sql, params: [], insert: rows };
}
