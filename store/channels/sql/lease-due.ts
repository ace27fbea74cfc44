import { all, type Operation, run, type Session } from "../../sql/query.ts";
import type { LeaseRequest } from "../batches.ts";
import type { RunState } from "../runs.ts";
import { type BatchRow, batchColumns } from "./batch-rows.ts";
import { seqOfChannel } from "./ids.ts";
import { indexesOf, isPage, type PageRow, Pages, usualPageBatches } from "./pages.ts";

export interface LeaseArguments extends LeaseRequest {
  readonly key: number;
  /** The time by the lease clock. */
  readonly atMs: number;
}

/** A batch or a page that may be leased. */
export interface DueRow extends BatchRow {
  readonly due_at_ms: number;
  readonly run_id: string;
  readonly run_state: RunState;
}

/**
 * Leases due batches of a channel, the longest due first.
 * @param failOrphans fails batches of stopped runs, which their holders never settled
 */
export function* leaseDue(
  session: Session,
  leasing: LeaseArguments,
  failOrphans: (session: Session, orphans: readonly BatchRow[]) => Operation<void>,
): Operation<readonly DueRow[]> {
  const { maxBatches, wholePages = false } = leasing;
  const leased: DueRow[] = [];
  let left = maxBatches;
  let failed = 0;
  for (let limit = Math.ceil(left / usualPageBatches); left > 0; limit = left) {
    const due = yield* findDue(session, leasing, limit);
    const pages = new Pages();
    const orphans: BatchRow[] = [];
    const before = leased.length;
    let isOver = due.length < limit;
    for (const row of due) {
      if (!isAlive(row)) {
        orphans.push(...(isPage(row) ? yield* takeOut(row, pages, () => false) : [row]));
        // One commit fails about as many as it may lease.
        if (failed + orphans.length >= maxBatches) break;
        continue;
      }
      const isWhole = wholePages && leased.length > 0;
      const own = isPage(row) ? yield* takeOfPage(row, pages, left, isWhole) : [row];
      leased.push(...own);
      left -= own.reduce((sum, one) => sum + countWaiting(one), 0);
      isOver ||= own.length === 0;
      if (left === 0 || own.length === 0) break;
    }
    yield* pages.write();
    yield* writeLeases(session, leased.slice(before), leasing);
    yield* failOrphans(session, orphans);
    failed += orphans.length;
    if (isOver || failed >= maxBatches) break;
  }
  return leased;
}

function isAlive({ run_state }: DueRow): boolean {
  return run_state === "preparing" || run_state === "sending";
}

function countWaiting(row: BatchRow): number {
  return isPage(row) ? indexesOf(row, ".").length : 1;
}

function* findDue(
  { dialect }: Session,
  { channelId, atMs }: LeaseArguments,
  limit: number,
): Operation<readonly DueRow[]> {
  return yield* all<DueRow>(
    `SELECT ${batchColumns}, b.due_at_ms, r.run_id, r.state AS run_state FROM {batches} b
     JOIN {runs} r ON r.seq = b.run_seq
     WHERE b.channel_seq = $1 AND b.is_open = 1 AND b.due_at_ms <= $2
     ORDER BY b.due_at_ms, b.run_seq, b.number LIMIT $3 ${dialect.skipLocked("b")}`,
    seqOfChannel(channelId),
    atMs,
    limit,
  );
}

/** Gives the batches of a page that have not ended rows of their own. */
function* takeOut(
  row: DueRow & PageRow,
  pages: Pages,
  needsPayload: (index: number) => boolean,
  indexes = indexesOf(row, ".", "b"),
): Operation<readonly DueRow[]> {
  const rows = yield* pages.takeOut(row, indexes, { dueAtMs: row.due_at_ms, isHeld: false, needsPayload });
  const { due_at_ms, run_id, run_state } = row;
  return rows.map((one) => ({ ...one, due_at_ms, run_id, run_state }));
}

/**
 * Returns at most this many batches of a page. Those whose attempts began before the lease ended are taken out. The
 * rest stays together, or as many as are needed are taken out.
 * @param isWhole whether no batch of the rest is leased if not all can be
 */
function* takeOfPage(
  row: DueRow & PageRow,
  pages: Pages,
  most: number,
  isWhole: boolean,
): Operation<readonly DueRow[]> {
  const taken = yield* takeOut(row, pages, () => true, indexesOf(row, "b").slice(0, most));
  const waiting = indexesOf(row, ".");
  const left = most - taken.length;
  if (waiting.length === 0) return taken;
  if (waiting.length <= left) return [...taken, { ...row, ...pages.present(row) }];
  if (isWhole) return taken;
  return [...taken, ...(yield* takeOut(row, pages, () => true, waiting.slice(0, left)))];
}

function* writeLeases(
  { dialect }: Session,
  rows: readonly DueRow[],
  { key, owner, atMs, leaseMs }: LeaseArguments,
): Operation<void> {
  for (const [runSeq, own] of Map.groupBy(rows, ({ run_seq }) => run_seq)) {
    yield* run(
      `UPDATE {batches} SET state = 'in_flight', due_at_ms = $1, lease_key = $2, lease_owner = $3,
         is_begun = 0 WHERE run_seq = $4 AND number IN ${dialect.integersOf("$5")}`,
      atMs + leaseMs,
      key,
      owner,
      runSeq,
      JSON.stringify(own.map(({ number }) => number)),
    );
  }
}
