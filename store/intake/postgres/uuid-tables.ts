import { dayMs } from "../../../base/time/units.ts";
import { all, first, insertAll, type Operation, type Row, run, type Value } from "../../sql/query.ts";
import { hashBytes } from "./uuid-hash.ts";

/** Claims of uuids of one batch and day. */
export interface UuidRows {
  /** The place at which the batch begins. */
  readonly seq: number;
  readonly day: number;
  /** Hashes one after the other. */
  readonly hashes: Uint8Array;
  /** The times of the claims, as PostgreSQL reads an array. */
  readonly times: string;
}

export function dayOf(steadyMs: number): number {
  return Math.floor(steadyMs / dayMs);
}

/** Returns the table of one spool and day. A place before 1970 has a negative day. */
export function uuidTable(spool: number, day: number): string {
  return `{uuids_${spool}_${day < 0 ? `before_${-day}` : day}}`;
}

/** Adds claims to the table of their day, which is created first. */
export function* addUuids(spool: number, { seq, day, hashes, times }: UuidRows): Operation<void> {
  const count = hashes.length / hashBytes;
  const table = yield* first("SELECT day FROM {uuid_tables} WHERE spool = $1 AND day = $2", spool, day);
  if (table === null) yield* createTable(spool, day);
  yield* runOnce(
    `INSERT INTO ${uuidTable(spool, day)} (hash, time_ms, seq)
     SELECT substring($1::bytea FROM k.at::integer * ${hashBytes} - ${hashBytes - 1} FOR ${hashBytes}), k.time_ms, $3
     FROM unnest($2::bigint[]) WITH ORDINALITY AS k (time_ms, at)`,
    hashes,
    times,
    seq,
  );
  yield* run(
    `UPDATE {uuid_tables} SET claims = claims + $3, last_seq = GREATEST(last_seq, $4)
     WHERE spool = $1 AND day = $2`,
    spool,
    day,
    count,
    seq,
  );
}

function* createTable(spool: number, day: number): Operation<void> {
  const table = uuidTable(spool, day);
  yield* runOnce(`CREATE TABLE ${table} (hash bytea NOT NULL, time_ms bigint NOT NULL, seq bigint NOT NULL)`);
  // Half as large as a tree, and found in half the time.
  yield* runOnce(`CREATE INDEX ON ${table} USING hash (hash)`);
  // Rows are in the order of their places, so that a rewind reads the last ones only.
  yield* runOnce(`CREATE INDEX ON ${table} USING brin (seq) WITH (autosummarize = on)`);
  yield* insertAll("INSERT INTO {uuid_tables} (spool, day, claims, last_seq)", [[spool, day, 0, 0]]);
}

/** Drops the tables of the days before a time. */
export function* dropUuidTables(spool: number, expiredMs: number): Operation<void> {
  const old = yield* all<{ day: number }>(
    "DELETE FROM {uuid_tables} WHERE spool = $1 AND day < $2 RETURNING day",
    spool,
    dayOf(expiredMs),
  );
  for (const { day } of old) yield* runOnce(`DROP TABLE ${uuidTable(spool, day)}`);
}

/** Forgets the claims of a data folder that was moved; they are deleted when no spool needs them. */
export function* forgetMovedUuids(spool: number): Operation<void> {
  yield* run("UPDATE {spools} SET moved_until_ms = NULL WHERE spool = $1", spool);
  const left = yield* first("SELECT spool FROM {spools} WHERE moved_until_ms IS NOT NULL LIMIT 1");
  if (left === null) yield* run("DELETE FROM {moved_uuids}");
}

/** Runs a statement on a table of one day, which a connection does not prepare, and returns its rows. */
export function* runOnce<T extends Row>(sql: string, ...params: Value[]): Operation<readonly T[]> {
  return (yield { sql, params, isUnique: true }) as readonly T[];
}

/** Undoes the claims of batches from a place on. */
export function* undoUuids(spool: number, seq: number): Operation<void> {
  const tables = yield* all<{ day: number }>(
    "SELECT day FROM {uuid_tables} WHERE spool = $1 AND last_seq >= $2",
    spool,
    seq,
  );
  for (const { day } of tables) {
    const [deleted] = yield* runOnce<{ count: number }>(
      `WITH deleted AS (DELETE FROM ${uuidTable(spool, day)} WHERE seq >= $1 RETURNING 1)
       SELECT count(*) AS count FROM deleted`,
      seq,
    );
    yield* run(
      "UPDATE {uuid_tables} SET claims = claims - $3, last_seq = $4 WHERE spool = $1 AND day = $2",
      spool,
      day,
      deleted!.count,
      Math.max(0, seq - 1),
    );
  }
}
