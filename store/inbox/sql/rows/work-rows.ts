import { insertNumbered, type Operation, run, type Session } from "../../../sql/query.ts";
import { encodeIndexes } from "../../index-set.ts";

/**
 * Work of one batch for one target. `due_at_ms` is when it may be leased: a leased row is due when its
 * lease ends, and is then leased again.
 */
export interface WorkRow {
  readonly id: number;
  readonly batch_seq: number;
  readonly channel: string;
  readonly target: string;
  /** The indexes in the form of `encodeIndexes`. */
  readonly element_indexes: string;
  /** The number of attempts begun before the present lease. */
  readonly attempt: number;
  readonly due_at_ms: number;
  /** A value of `holders`; 0: not leased. */
  readonly leased: number;
  /** 0: not leased. */
  readonly lease_key: number;
  readonly reason: string | null;
  readonly is_ordered: number;
  readonly replay: string | null;
  /** The size of the batch's body. */
  readonly body_bytes: number;
  readonly element_count: number;
  /** Elements whose call has begun under the present lease, in any order, in the form of `encodeIndexes`. */
  readonly begun: string;
  /** 1: a lease of the work ended unsettled. */
  readonly suspect: number;
}

/** The values of `leased`. */
export const holders = { process: 1, consumer: 2 } as const;

export const workColumns = `w.id, w.batch_seq, w.channel, w.target, w.element_indexes, w.attempt,
  w.due_at_ms, w.leased, w.lease_key, w.reason, w.is_ordered, w.replay, w.body_bytes,
  w.element_count, w.begun, w.suspect`;

export interface NewWork extends Omit<WorkRow, "id" | "element_indexes" | "element_count"> {
  readonly indexes: readonly number[];
}

/** Work without attempts. */
export const fresh = {
  attempt: 0,
  leased: 0,
  lease_key: 0,
  reason: null,
  replay: null,
  begun: "",
  suspect: 0,
} as const;

/** Inserts work; returns the new row's id, or 0 when there are no elements. */
export function* addWork({ indexes, ...row }: NewWork): Operation<number> {
  const encoded = { element_indexes: encodeIndexes(indexes), element_count: indexes.length };
  return yield* addEncodedWork({ ...row, ...encoded });
}

/** Does the same for indexes which are encoded already. */
export function* addEncodedWork(row: Omit<WorkRow, "id">): Operation<number> {
  if (row.element_count === 0) return 0;
  return yield* insertNumbered(
    `INSERT INTO {work} (batch_seq, channel, target, element_indexes, element_count, attempt, due_at_ms,
       leased, lease_key, reason, is_ordered, replay, body_bytes, begun, suspect)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    "id",
    row.batch_seq,
    row.channel,
    row.target,
    row.element_indexes,
    row.element_count,
    row.attempt,
    row.due_at_ms,
    row.leased,
    row.lease_key,
    row.reason,
    row.is_ordered,
    row.replay,
    row.body_bytes,
    row.begun,
    row.suspect,
  );
}

/** Changes the elements of a row, and ends its lease unless `lease_key` is kept. */
export function* reduceWork(
  id: number,
  indexes: readonly number[],
  changed: Omit<
    NewWork,
    "batch_seq" | "channel" | "target" | "is_ordered" | "replay" | "body_bytes" | "indexes"
  >,
): Operation<void> {
  yield* run(
    `UPDATE {work} SET element_indexes = $1, element_count = $2, attempt = $3, due_at_ms = $4,
       leased = $5, lease_key = $6, reason = $7, begun = $8, suspect = $9 WHERE id = $10`,
    encodeIndexes(indexes),
    indexes.length,
    changed.attempt,
    changed.due_at_ms,
    changed.leased,
    changed.lease_key,
    changed.reason,
    changed.begun,
    changed.suspect,
    id,
  );
}

/**
 * Marks batches as finished when no work of them is left. Locks each batch, since two concurrent
 * settlements would each still see the other's work.
 */
export function* finishIfDone({ nowMs, dialect }: Session, ...batchSeqs: number[]): Operation<void> {
  const seqs = JSON.stringify(batchSeqs);
  if (dialect.forUpdate !== "") {
    yield* run(
      `SELECT seq FROM {batches} WHERE seq IN ${dialect.integersOf("$1")} ORDER BY seq ${dialect.forUpdate}`,
      seqs,
    );
  }
  yield* run(
    `UPDATE {batches} SET finished_at_ms = $1 WHERE seq IN ${dialect.integersOf("$2")}
       AND NOT EXISTS (SELECT 1 FROM {work} w WHERE w.batch_seq = {batches}.seq)`,
    nowMs,
    seqs,
  );
}
