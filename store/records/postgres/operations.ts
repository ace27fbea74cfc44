import { checkFence } from "../../leases/fence.ts";
import { notify } from "../../sql/postgres/listener.ts";
import { all, first, type Operation, type Query, type Row, run, type Session } from "../../sql/query.ts";
import type { RecordPlace } from "../records.ts";

/** A table of records, which is named as a file is: by its number. */
export interface RecordTable {
  readonly number: number;
  /** The bytes of its records. */
  readonly size: number;
}

/** A part of the bytes of one row. */
export interface RecordRow {
  /** The place of the row in its table. */
  readonly place: number;
  /** The place of the first byte of the part. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Bytes of one table, from one place to another. */
export interface RecordRange {
  readonly number: number;
  readonly from: number;
  readonly to: number;
}

/** Tables which one transaction drops: each takes a few locks, whose number the server limits. */
const maxDropped = 16;

/**
 * Returns the table in use, which is created for a new project.
 * @param after the place at which reading continues: the table in use does not end before it
 */
export function* open(
  session: Session,
  project: number,
  after: RecordPlace | undefined,
): Operation<RecordTable> {
  const inserted = yield* first(
    "INSERT INTO {heads} (project, number, size) VALUES ($1, 1, 0) ON CONFLICT DO NOTHING RETURNING number",
    project,
  );
  if (inserted !== null) yield* createTable(project, 1);
  const head = yield* lockHead(session, project);
  const isBehind =
    after !== undefined &&
    (head.number < after.number || (head.number === after.number && head.size < after.offset));
  return isBehind ? yield* useNext(project, head, after.number + 1) : head;
}

/** Uses the next table when this one is still in use, since it is full. Returns the table in use. */
export function* advance(session: Session, project: number, number: number): Operation<RecordTable> {
  const head = yield* lockHead(session, project);
  return head.number === number ? yield* useNext(project, head, number + 1) : head;
}

/**
 * Appends lines to the table in use as one row, and returns its place. The row of the head stays locked
 * until the commit: so rows become visible in the order of their places, without gaps. Returns null when
 * another table is in use, or this one would exceed its size.
 */
export function* append(
  _session: Session,
  project: number,
  number: number,
  lines: Uint8Array,
  maxBytes: number,
): Operation<number | null> {
  const row = yield* firstUnique<{ place: number }>(
    `WITH head AS (
       UPDATE {heads} SET size = size + $3
       WHERE project = $1 AND number = $2 AND (size = 0 OR size + $3 <= $4)
       RETURNING size - $3 AS place
     ), stored AS (
       INSERT INTO ${tableOf(project, number)} (place, bytes) SELECT place, $5::bytea FROM head
     ) SELECT place FROM head`,
    [project, number, lines.length, maxBytes, lines],
  );
  return row?.place ?? null;
}

/** Returns the tables from a number on, ascending; the last one is in use. */
export function* tables(
  _session: Session,
  project: number,
  number: number,
): Operation<readonly RecordTable[]> {
  return yield* all<RecordTable>(
    `SELECT number, size FROM {tables} WHERE project = $1 AND number >= $2
     UNION ALL SELECT number, size FROM {heads} WHERE project = $1 ORDER BY number`,
    project,
    number,
  );
}

/** Reads rows of one table, of the first and the last one only the part in the range. */
export function* read(
  _session: Session,
  project: number,
  { number, from, to }: RecordRange,
): Operation<readonly RecordRow[]> {
  const table = tableOf(project, number);
  return (yield {
    sql: `SELECT place, GREATEST(place, $1::bigint) AS at, substring(bytes
        FROM (GREATEST($1 - place, 0) + 1)::integer FOR ($2::bigint - GREATEST(place, $1))::integer) AS bytes
      FROM ${table}
      WHERE place >= COALESCE((SELECT max(place) FROM ${table} WHERE place <= $1), 0) AND place < $2
      ORDER BY place`,
    params: [from, to],
    binary: { place: "bigint", at: "bigint", bytes: "bytes" },
  }) as readonly RecordRow[];
}

/**
 * Drops some of the tables which end at or before a place, except the one in use.
 * @returns the number of dropped tables; 0 when none is left
 */
export function* release(_session: Session, project: number, to: RecordPlace): Operation<number> {
  const dropped = yield* all<{ number: number }>(
    `DELETE FROM {tables} WHERE project = $1 AND number IN (
       SELECT number FROM {tables}
       WHERE project = $1 AND (number < $2 OR number = $2 AND size <= $3) ORDER BY number LIMIT $4
     ) RETURNING number`,
    project,
    to.number,
    to.offset,
    maxDropped,
  );
  for (const { number } of dropped) yield unique(`DROP TABLE IF EXISTS ${tableOf(project, number)}`);
  return dropped.length;
}

/** Tells the readers of a project that it has more records. */
export function* notifyReaders(_session: Session, channel: string, project: number): Operation<void> {
  yield* notify(channel, `${project}`);
}

/** Returns the saved place of a reader, or null before the first. */
export function* readCursor(_session: Session, name: string): Operation<RecordPlace | null> {
  const found = yield* first<{ number: number; place: number }>(
    "SELECT number, place FROM {cursors} WHERE name = $1",
    name,
  );
  return found && { number: found.number, offset: found.place };
}

/** The lease of the process which reads. */
export interface ReaderLease {
  readonly name: string;
  readonly token: number;
}

/** Saves the place of a reader, which is named as its lease. @throws LeaseLostError */
export function* saveCursor(
  _session: Session,
  { name, token }: ReaderLease,
  { number, offset }: RecordPlace,
): Operation<void> {
  yield* checkFence(name, token);
  yield* run(
    `INSERT INTO {cursors} (name, number, place) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE SET number = excluded.number, place = excluded.place`,
    name,
    number,
    offset,
  );
}

function* lockHead({ dialect }: Session, project: number): Operation<RecordTable> {
  const sql = `SELECT number, size FROM {heads} WHERE project = $1 ${dialect.forUpdate}`;
  return (yield* first<RecordTable>(sql, project))!;
}

/** Ends the table in use and uses another one. */
function* useNext(project: number, { number, size }: RecordTable, next: number): Operation<RecordTable> {
  yield* run("INSERT INTO {tables} (project, number, size) VALUES ($1, $2, $3)", project, number, size);
  yield* createTable(project, next);
  yield* run("UPDATE {heads} SET number = $1, size = 0 WHERE project = $2", next, project);
  return { number: next, size: 0 };
}

function* createTable(project: number, number: number): Operation<void> {
  const table = tableOf(project, number);
  // Rows are neither changed nor deleted, so there is nothing to vacuum.
  yield unique(
    `CREATE TABLE ${table} (place bigint PRIMARY KEY, bytes bytea NOT NULL)
     WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false)`,
  );
  // LZ4 halves the time of an append of JSON, and the log is a seventh. The other method takes longer than none.
  const lz4 = yield* first(
    "SELECT 1 FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)",
  );
  const how = lz4 === null ? "STORAGE EXTERNAL" : "COMPRESSION lz4";
  yield unique(`ALTER TABLE ${table} ALTER COLUMN bytes SET ${how}`);
}

const tableOf = (project: number, number: number): string => `{records_${project}_${number}}`;

const unique = (sql: string): Query => ({ sql, params: [], isUnique: true });

function* firstUnique<T extends Row>(sql: string, params: Query["params"]): Operation<T | null> {
  const [row] = (yield { sql, params, isUnique: true }) as readonly T[];
  return row ?? null;
}

export const operations = {
  open,
  advance,
  append,
  tables,
  read,
  release,
  notifyReaders,
  readCursor,
  saveCursor,
};
