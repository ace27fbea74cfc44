import { first, insertAll, type Operation, run, type Session, type Value } from "../../sql/query.ts";
import type { BatchesToAppend, StoredRun } from "../runs.ts";
import { insertBatches, type NewBatchRow } from "./batch-rows.ts";
import { finishIfSettled } from "./end-run.ts";
import { decodePreparation, rowOf } from "./ids.ts";
import type { NewRow } from "./pages.ts";
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

/** What `appendBatches` stores. */
export interface RowsToAppend extends Omit<BatchesToAppend, "batches"> {
  readonly rows: readonly NewRow[];
}

/**
 * Stores batches; returns null when the token or `afterNumber` is stale.
 * @param atMs when the batches become due, by the lease clock
 */
export function* appendBatches(
  session: Session,
  token: string,
  append: RowsToAppend,
  atMs: number,
): Operation<StoredRun | null> {
  const held = yield* lockHeld(session, token);
  if (held === null || held.batches !== append.afterNumber) return null;
  const { seq } = held;
  yield* insertRows(held, append, atMs);
  if (append.resumeData !== null) yield* saveAudience(seq, append.resumeData);
  const row = yield* updateRun(session, held, append);
  if (append.isLast && (yield* finishIfSettled(session, seq))) {
    return toRun((yield* first<RunRow>(`SELECT ${runColumns} FROM {runs} WHERE seq = $1`, seq))!);
  }
  return toRun(row);
}

function* insertRows(
  { seq, channel_seq }: RunRow,
  { rows, afterNumber }: RowsToAppend,
  atMs: number,
): Operation<void> {
  const batches: NewBatchRow[] = [];
  const [payloads, pages]: [Value[][], Value[][]] = [[], []];
  let next = afterNumber;
  for (const { requestId, size, note, count, parts, payload } of rows) {
    const number = parts === null ? next : rowOf(next);
    batches.push({
      run_seq: seq,
      number,
      channel_seq,
      request_id: requestId,
      size,
      note,
      due_at_ms: atMs,
      attempts: 0,
      is_begun: 0,
      batch_count: count,
      progress: parts === null ? null : ".".repeat(count),
    });
    if (parts === null) payloads.push([seq, number, payload]);
    else pages.push([seq, number, parts, payload]);
    next += count;
  }
  yield* insertBatches(batches, payloads);
  yield* insertAll("INSERT INTO {pages} (run_seq, number, parts, payload)", pages);
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

function* updateRun(session: Session, held: RunRow, append: RowsToAppend): Operation<RunRow> {
  const { planned, filtered, control } = append.counted;
  const batches = append.rows.reduce((sum, { count }) => sum + count, 0);
  const batched = append.rows.reduce((sum, { count, size }) => sum + count * size, 0);
  const state = append.isLast ? "sending" : "preparing";
  const row = yield* first<RunRow>(
    `UPDATE {runs} SET position = $1, batches = batches + $2, batched = batched + $3, planned = planned + $4,
       filtered = filtered + $5, control = control + $6, state = $7, prepared_at_ms = $8
     WHERE seq = $9 RETURNING ${runColumns}`,
    append.cursor,
    batches,
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
