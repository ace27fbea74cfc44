import { first, insertAll, type Operation, run, type Session } from "../../sql/query.ts";
import type { BatchesToAppend, StoredRun } from "../runs.ts";
import { finishIfSettled } from "./end-run.ts";
import { decodePreparation } from "./ids.ts";
import { type RunRow, runColumns, toRun } from "./run-rows.ts";

export interface PreparationLease {
  readonly owner: string;
  readonly leaseMs: number;
  /** The end of the lease, by the lease clock. */
  readonly untilMs: number;
  readonly key: number;
}

export function* leasePreparation(
  { dialect }: Session,
  { owner, leaseMs, untilMs, key }: PreparationLease,
): Operation<StoredRun | null> {
  const free = yield* first<{ seq: number }>(
    `SELECT b.seq FROM {runs} b WHERE b.state = 'preparing' AND b.lease_until_ms <= $1
     ORDER BY b.seq LIMIT 1 ${dialect.skipLocked("b")}`,
    untilMs - leaseMs,
  );
  if (free === null) return null;
  const row = yield* first<RunRow>(
    `UPDATE {runs} SET lease_key = $1, lease_until_ms = $2, lease_owner = $3 WHERE seq = $4
     RETURNING ${runColumns}`,
    key,
    untilMs,
    owner,
    free.seq,
  );
  return toRun(row!);
}

export function* extendPreparation(
  _session: Session,
  token: string,
  untilMs: number,
): Operation<number | null> {
  const lease = decodePreparation(token);
  if (lease === null) return null;
  const row = yield* first<{ lease_until_ms: number }>(
    `UPDATE {runs} SET lease_until_ms = $1 WHERE seq = $2 AND lease_key = $3 AND state = 'preparing'
     RETURNING lease_until_ms`,
    untilMs,
    lease.runSeq,
    lease.key,
  );
  return row?.lease_until_ms ?? null;
}

export function* releasePreparation(_session: Session, token: string, fromMs: number): Operation<void> {
  const lease = decodePreparation(token);
  if (lease === null) return;
  yield* run(
    `UPDATE {runs} SET lease_until_ms = $1, lease_key = 0
     WHERE seq = $2 AND lease_key = $3 AND state = 'preparing'`,
    fromMs,
    lease.runSeq,
    lease.key,
  );
}

export function* readAudience(_session: Session, runId: string, page: number): Operation<Uint8Array | null> {
  const row = yield* first<{ data: Uint8Array }>(
    `SELECT a.data FROM {audience} a JOIN {runs} r ON r.seq = a.run_seq WHERE r.run_id = $1 AND a.page = $2`,
    runId,
    page,
  );
  return row?.data ?? null;
}

/**
 * Stores batches; returns null when the token or `afterNumber` is stale.
 * @param atMs when the batches become due, by the lease clock
 */
export function* appendBatches(
  session: Session,
  token: string,
  append: BatchesToAppend,
  atMs: number,
): Operation<StoredRun | null> {
  const held = yield* lockHeld(session, token);
  if (held === null || held.batches !== append.afterNumber) return null;
  const { seq, channel_seq } = held;
  yield* insertAll(
    `INSERT INTO {batches} (run_seq, number, channel_seq, request_id, size, note, state, is_open, due_at_ms,
       attempts, settled_attempts, retries, is_sent, lease_key, lease_owner, last_failure, failed_items)`,
    append.batches.map(({ requestId, size, note }, i) => [
      seq,
      append.afterNumber + i,
      channel_seq,
      requestId,
      size,
      note,
      "pending",
      1,
      atMs,
      0,
      0,
      0,
      0,
      0,
      "",
      "",
      null,
    ]),
  );
  yield* insertAll(
    "INSERT INTO {payloads} (run_seq, number, payload)",
    append.batches.map(({ payload }, i) => [seq, append.afterNumber + i, payload]),
  );
  if (append.resumeData !== null) yield* saveAudience(seq, append.resumeData);
  const row = yield* updateRun(session, held, append);
  if (append.isLast && (yield* finishIfSettled(session, seq))) {
    return toRun((yield* first<RunRow>(`SELECT ${runColumns} FROM {runs} WHERE seq = $1`, seq))!);
  }
  return toRun(row);
}

function* saveAudience(
  runSeq: number,
  { page, data }: NonNullable<BatchesToAppend["resumeData"]>,
): Operation<void> {
  yield* run(
    `INSERT INTO {audience} (run_seq, page, data) VALUES ($1, $2, $3)
     ON CONFLICT (run_seq, page) DO UPDATE SET data = excluded.data`,
    runSeq,
    page,
    data,
  );
}

function* updateRun(session: Session, held: RunRow, append: BatchesToAppend): Operation<RunRow> {
  const { planned, filtered, control } = append.counted;
  const batched = append.batches.reduce((sum, { size }) => sum + size, 0);
  const state = append.isLast ? "sending" : "preparing";
  const row = yield* first<RunRow>(
    `UPDATE {runs} SET position = $1, batches = batches + $2, batched = batched + $3, planned = planned + $4,
       filtered = filtered + $5, control = control + $6, state = $7, prepared_at_ms = $8
     WHERE seq = $9 RETURNING ${runColumns}`,
    append.cursor,
    append.batches.length,
    batched,
    planned,
    filtered,
    control,
    state,
    append.isLast ? session.nowMs : null,
    held.seq,
  );
  if (append.isLast) {
    yield* run("DELETE FROM {audience} WHERE run_seq = $1", held.seq);
    yield* run(
      "UPDATE {tasks} SET state = 'sending', version = version + 1 WHERE seq = $1 AND run_seq = $2",
      held.task_seq,
      held.seq,
    );
  }
  return row!;
}

/** Locks the run that a token holds; null when the token is stale. */
function* lockHeld({ dialect }: Session, token: string): Operation<RunRow | null> {
  const lease = decodePreparation(token);
  if (lease === null) return null;
  return yield* first<RunRow>(
    `SELECT ${runColumns} FROM {runs} WHERE seq = $1 AND lease_key = $2 AND state = 'preparing' ${dialect.forUpdate}`,
    lease.runSeq,
    lease.key,
  );
}
