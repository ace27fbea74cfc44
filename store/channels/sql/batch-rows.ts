import { all, insertAll, type Operation, type Session, type Value } from "../../sql/query.ts";
import type { BatchState } from "../batches.ts";
import { type LeaseToken, rowOf } from "./ids.ts";

/**
 * A batch, or a page of several (`pages.ts`). While it is open, `due_at_ms` is when it may be leased: a batch in flight
 * is due when its lease ends, and is then leased again.
 */
export interface BatchRow {
  readonly run_seq: number;
  readonly number: number;
  readonly channel_seq: number;
  readonly request_id: string;
  readonly size: number;
  readonly note: string;
  readonly state: BatchState;
  /** The number of calls begun. */
  readonly attempts: number;
  /** 1 when `attempts` includes the open lease, otherwise 0. */
  readonly is_begun: number;
  /** The value of `attempts` at the last settlement. */
  readonly settled_attempts: number;
  readonly retries: number;
  readonly is_sent: number;
  readonly last_failure: string;
  /** The failed items as JSON; null when there are none. */
  readonly failed_items: string | null;
  /** The number of batches: 1, or those of a page. `size` is that of each. */
  readonly batch_count: number;
  /** What has become of each batch of a page, by letters; null for a single batch. */
  readonly progress: string | null;
}

export const batchColumns = `b.run_seq, b.number, b.channel_seq, b.request_id, b.size, b.note, b.state, b.attempts, b.is_begun,
  b.settled_attempts, b.retries, b.is_sent, b.last_failure, b.failed_items, b.batch_count, b.progress`;

/** What is needed to mark a batch. */
export type HeldRow = Pick<BatchRow, "number" | "run_seq" | "progress">;

export const heldColumns = "b.number, b.run_seq, b.progress";

/**
 * Locks the batches of one lease that are still held, or the pages they are in; returns these columns by the number
 * of the row.
 * @param leases one group of `groupLeases`
 */
export function* lockHeld<T extends HeldRow>(
  { dialect }: Session,
  columns: string,
  leases: readonly { readonly lease: LeaseToken }[],
): Operation<ReadonlyMap<number, T>> {
  const { runSeq, key } = leases[0]!.lease;
  const numbers = leases.map(({ lease: { number, page } }) => (page === undefined ? number : rowOf(page)));
  const rows = yield* all<T>(
    `SELECT ${columns} FROM {batches} b WHERE b.run_seq = $1 AND b.lease_key = $2 AND b.is_open = 1
       AND b.number IN ${dialect.integersOf("$3")} ORDER BY b.number ${dialect.forUpdate}`,
    runSeq,
    key,
    JSON.stringify([...new Set(numbers)]),
  );
  return new Map(rows.map((row) => [row.number, row]));
}

/** A row to insert. */
export interface NewBatchRow
  extends Pick<
    BatchRow,
    | "run_seq"
    | "number"
    | "channel_seq"
    | "request_id"
    | "size"
    | "note"
    | "attempts"
    | "is_begun"
    | "batch_count"
    | "progress"
  > {
  readonly due_at_ms: number;
}

/**
 * Inserts batches.
 * @param payloads rows of `payloads`
 * @param failure why all of them have failed; empty if they wait to be leased
 */
export function* insertBatches(
  rows: readonly NewBatchRow[],
  payloads: readonly (readonly Value[])[],
  failure = "",
): Operation<void> {
  const isOpen = failure === "";
  yield* insertAll(
    `INSERT INTO {batches} (run_seq, number, channel_seq, request_id, size, note, due_at_ms, attempts, is_begun,
       batch_count, progress, state, is_open, settled_attempts, retries, is_sent, lease_key, lease_owner, last_failure)`,
    rows.map((row) => [
      row.run_seq,
      row.number,
      row.channel_seq,
      row.request_id,
      row.size,
      row.note,
      row.due_at_ms,
      row.attempts,
      row.is_begun,
      row.batch_count,
      row.progress,
      isOpen ? "pending" : "failed",
      isOpen ? 1 : 0,
      0,
      0,
      0,
      0,
      "",
      failure,
    ]),
  );
  yield* insertAll("INSERT INTO {payloads} (run_seq, number, payload)", payloads);
}
