import { asBuffer } from "../../../base/json/utf8.ts";
import { all, type Operation, run, type Session } from "../../sql/query.ts";
import { integers } from "./packed-texts.ts";
import { hashBytes } from "./uuid-hash.ts";
import { addUuids, dayOf, type UuidRows } from "./uuid-tables.ts";

/** The bytes of a hash and of the time of its claim. */
export const claimBytes = hashBytes + 8;

/** The claims of one batch, each uuid once. */
export interface UuidBatch {
  /** The place at which the batch begins. */
  readonly seq: number;
  /** The earliest and the latest time of its uuids, also of those which it could not claim. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** The hashes one after the other, then their times in milliseconds as doubles, the least significant byte first. */
  readonly claims: Buffer;
}

/** A stored batch without its claims. */
export interface UuidBatchHead {
  readonly seq: number;
  readonly uuids: number;
}

/** The oldest batches of a spool which are no longer stored as batches. */
export interface RemovedBatches {
  /** The place of the last one; undefined when none is removed. */
  readonly removedTo: number | undefined;
  /** The claims that are stored as rows instead. */
  readonly spilled: readonly UuidRows[];
}

export function timeOf({ claims }: Pick<UuidBatch, "claims">, at: number): number {
  return claims.readDoubleLE((claims.length / claimBytes) * hashBytes + at * 8);
}

/** Returns the claims of a batch as rows for the tables of their days. */
export function rowsByDay(batch: Pick<UuidBatch, "seq" | "claims">): readonly UuidRows[] {
  const { seq, claims } = batch;
  const count = claims.length / claimBytes;
  const positions = Array.from({ length: count }, (_, at) => at);
  const byDay = Map.groupBy(positions, (at) => dayOf(timeOf(batch, at)));
  return Array.from(byDay, ([day, list]) => ({
    seq,
    day,
    hashes:
      list.length === count
        ? claims.subarray(0, count * hashBytes)
        : Buffer.concat(list.map((at) => claims.subarray(at * hashBytes, (at + 1) * hashBytes))),
    times: integers(list.map((at) => timeOf(batch, at))),
  }));
}

export function* addUuidBatch(spool: number, batch: UuidBatch): Operation<void> {
  const { seq, firstMs, lastMs, claims } = batch;
  yield* run(
    "INSERT INTO {uuid_batches} (spool, seq, first_ms, last_ms, claims) VALUES ($1, $2, $3, $4, $5)",
    spool,
    seq,
    firstMs,
    lastMs,
    claims,
  );
}

/** Removes the oldest batches, and adds rows instead. */
export function* removeUuidBatches(spool: number, { removedTo, spilled }: RemovedBatches): Operation<void> {
  if (removedTo === undefined) return;
  yield* run("DELETE FROM {uuid_batches} WHERE spool = $1 AND seq <= $2", spool, removedTo);
  for (const rows of spilled) yield* addUuids(spool, rows);
}

/** Undoes the claims of batches from a place on. */
export function* undoUuidBatches(spool: number, seq: number): Operation<void> {
  yield* run("DELETE FROM {uuid_batches} WHERE spool = $1 AND seq >= $2", spool, seq);
}

/** Returns the stored batches of a spool, the oldest first. */
export function* listUuidBatches(spool: number): Operation<readonly UuidBatchHead[]> {
  return yield* all<UuidBatchHead>(
    `SELECT seq, length(claims) / ${claimBytes} AS uuids FROM {uuid_batches} WHERE spool = $1 ORDER BY seq`,
    spool,
  );
}

/** Returns the batches of a spool from one place to another, the oldest first. */
export function* readUuidBatches(
  _session: Session,
  spool: number,
  from: number,
  to: number,
): Operation<readonly UuidBatch[]> {
  const rows = (yield {
    sql: `SELECT seq, first_ms, last_ms, claims FROM {uuid_batches}
      WHERE spool = $1 AND seq >= $2 AND seq <= $3 ORDER BY seq`,
    params: [spool, from, to],
    binary: { seq: "bigint", first_ms: "bigint", last_ms: "bigint", claims: "bytes" },
  }) as readonly StoredBatch[];
  return rows.map(({ seq, first_ms: firstMs, last_ms: lastMs, claims }) => ({
    seq,
    firstMs,
    lastMs,
    claims: asBuffer(claims),
  }));
}

interface StoredBatch {
  readonly seq: number;
  readonly first_ms: number;
  readonly last_ms: number;
  readonly claims: Uint8Array<ArrayBuffer>;
}
