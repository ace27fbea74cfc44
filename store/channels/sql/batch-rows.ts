import { all, type Operation, type Session } from "../../sql/query.ts";
import type { BatchRecord, BatchState, FailedItem } from "../batches.ts";
import type { Page, PageRequest } from "../records.ts";
import { type LeaseToken, numberOfCursor } from "./ids.ts";

/**
 * A batch. While it is open, `due_at_ms` is when it may be leased: a batch in flight is due when its
 * lease ends, and is then leased again.
 */
export interface BatchRow {
  readonly run_seq: number;
  readonly number: number;
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
}

export const batchColumns = `b.run_seq, b.number, b.request_id, b.size, b.note, b.state, b.attempts, b.is_begun,
  b.settled_attempts, b.retries, b.is_sent, b.last_failure, b.failed_items`;

/**
 * Locks the batches of one lease that are still held, and returns these columns of them, by number.
 * @param leases one group of `groupLeases`
 */
export function* lockHeld<T extends object>(
  { dialect }: Session,
  columns: string,
  leases: readonly { readonly lease: LeaseToken }[],
): Operation<readonly T[]> {
  const { runSeq, key } = leases[0]!.lease;
  return yield* all<T>(
    `SELECT ${columns} FROM {batches} b WHERE b.run_seq = $1 AND b.lease_key = $2 AND b.is_open = 1
       AND b.number IN ${dialect.integersOf("$3")} ORDER BY b.number ${dialect.forUpdate}`,
    runSeq,
    key,
    JSON.stringify(leases.map(({ lease }) => lease.number)),
  );
}

export function* listBatches(
  _session: Session,
  runId: string,
  { onlyFailed = false }: { readonly onlyFailed?: boolean },
  { limit, after }: PageRequest,
): Operation<Page<BatchRecord>> {
  const failed = onlyFailed ? "AND (b.state = 'failed' OR b.failed_items IS NOT NULL)" : "";
  const rows = yield* all<BatchRow>(
    `SELECT ${batchColumns} FROM {batches} b JOIN {runs} r ON r.seq = b.run_seq
     WHERE r.run_id = $1 AND b.number > $2 ${failed} ORDER BY b.number LIMIT $3`,
    runId,
    numberOfCursor(after, -1),
    limit + 1,
  );
  const onPage = rows.slice(0, limit);
  return { items: onPage.map(toRecord), next: rows.length > limit ? String(onPage.at(-1)!.number) : null };
}

function toRecord(row: BatchRow): BatchRecord {
  return {
    number: row.number,
    requestId: row.request_id,
    size: row.size,
    state: row.state,
    attempts: row.attempts - row.is_begun,
    failedItems: row.failed_items === null ? [] : (JSON.parse(row.failed_items) as FailedItem[]),
    lastFailure: row.last_failure,
  };
}
