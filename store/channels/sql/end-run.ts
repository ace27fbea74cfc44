import { all, first, type Operation, run, type Session } from "../../sql/query.ts";
import type { RunState, TaskCancelled } from "../runs.ts";
import type { BatchRow } from "./batch-rows.ts";
import { decodePreparation, seqOfTask } from "./ids.ts";
import { indexesOf, lockPendingPages, Pages } from "./pages.ts";
import { lockRun } from "./run-rows.ts";
import { Tallies } from "./tallies.ts";
import { lockTask, type TaskRow, taskColumns, toTask } from "./task-rows.ts";

const noOpenBatch = "NOT EXISTS (SELECT 1 FROM {batches} b WHERE b.run_seq = r.seq AND b.is_open = 1)";

/**
 * Ends a run which is prepared and has nothing left to settle. Of two concurrent commits which settle
 * its last batches, neither may see that; `finishSettledRuns` does.
 */
export function* finishIfSettled(session: Session, runSeq: number): Operation<boolean> {
  const settled = yield* first<{ state: RunState; task_seq: number }>(
    `UPDATE {runs} AS r SET is_open = 0,
       ended_at_ms = COALESCE(ended_at_ms, $1), state = CASE state WHEN 'sending' THEN 'done' ELSE state END
     WHERE seq = $2 AND is_open = 1 AND state <> 'preparing' AND ${noOpenBatch} RETURNING state, task_seq`,
    session.nowMs,
    runSeq,
  );
  if (settled?.state !== "done") return settled !== null;
  yield* run(
    `UPDATE {tasks} SET state = CASE WHEN next_run_at_ms IS NULL THEN 'done' ELSE 'scheduled' END,
       version = version + 1 WHERE seq = $1 AND run_seq = $2`,
    settled.task_seq,
    runSeq,
  );
  return true;
}

/** Ends all runs which have nothing left to settle. */
export function* finishSettledRuns(session: Session): Operation<void> {
  const rows = yield* all<{ seq: number }>(
    `SELECT seq FROM {runs} r WHERE is_open = 1 AND state <> 'preparing' AND ${noOpenBatch}`,
  );
  for (const { seq } of rows) yield* finishIfSettled(session, seq);
}

export function* cancelTask(session: Session, taskId: string): Operation<TaskCancelled> {
  const seq = seqOfTask(taskId);
  const task = yield* lockTask(session, seq);
  if (task === null) return { kind: "unknown_task" };
  if (["done", "cancelled", "failed"].includes(task.state)) return { kind: "ended", task: toTask(task) };
  const ended = yield* first<TaskRow>(
    `UPDATE {tasks} SET state = 'cancelled', next_run_at_ms = NULL, version = version + 1
     WHERE seq = $1 RETURNING ${taskColumns}`,
    seq,
  );
  const isRunning = task.state === "preparing" || task.state === "sending";
  if (isRunning && task.run_seq !== null) yield* stopRun(session, task.run_seq, "cancelled", "");
  return { kind: "cancelled", task: toTask(ended!) };
}

export function* failRun(session: Session, token: string, failure: string): Operation<boolean> {
  const lease = decodePreparation(token);
  if (lease === null) return false;
  const held = yield* first<{ task_seq: number }>(
    "SELECT task_seq FROM {runs} WHERE seq = $1 AND lease_key = $2 AND state = 'preparing'",
    lease.runSeq,
    lease.key,
  );
  if (held === null) return false;
  // Locks in the order of `cancelTask`, which prevents deadlocks.
  yield* lockTask(session, held.task_seq);
  const present = yield* first(
    `SELECT seq FROM {runs} WHERE seq = $1 AND lease_key = $2 AND state = 'preparing' ${session.dialect.forUpdate}`,
    lease.runSeq,
    lease.key,
  );
  if (present === null) return false;
  yield* stopRun(session, lease.runSeq, "failed", failure);
  yield* run(
    `UPDATE {tasks} SET state = CASE WHEN next_run_at_ms IS NULL THEN 'failed' ELSE 'scheduled' END,
       failure = $1, version = version + 1 WHERE seq = $2 AND run_seq = $3`,
    failure,
    held.task_seq,
    lease.runSeq,
  );
  return true;
}

/** Ends the preparation and the pending batches of a run; batches in flight are settled by their holders. */
function* stopRun(
  session: Session,
  runSeq: number,
  state: "cancelled" | "failed",
  failure: string,
): Operation<void> {
  yield* lockRun(session, runSeq);
  yield* run(
    `UPDATE {runs} SET state = $1, failure = $2, ended_at_ms = $3, lease_key = 0, has_bodies = 1 WHERE seq = $4`,
    state,
    failure,
    session.nowMs,
    runSeq,
  );
  const divided = yield* dividePages(session, runSeq);
  const dropped = yield* all<BatchRow>(
    `UPDATE {batches} SET state = 'failed', is_open = 0, last_failure = 'cancelled'
     WHERE run_seq = $1 AND is_open = 1 AND state = 'pending'
     RETURNING run_seq, size, attempts, settled_attempts, is_sent`,
    runSeq,
  );
  const tallies = new Tallies(session);
  for (const batch of [...divided, ...dropped]) {
    tallies.addAttempts(batch, batch.attempts);
    tallies.add(runSeq, "settled", 1);
    tallies.add(runSeq, "failed", batch.size, "cancelled");
  }
  yield* tallies.write();
  yield* run("DELETE FROM {audience} WHERE run_seq = $1", runSeq);
  yield* finishIfSettled(session, runSeq);
}

/** Gives the batches of pages that are not leased rows of their own, which can fail. `prune` deletes their payloads. */
function* dividePages(session: Session, runSeq: number): Operation<readonly BatchRow[]> {
  const pages = new Pages();
  const given = { dueAtMs: session.nowMs, isHeld: false, needsPayload: () => false, failure: "cancelled" };
  const rows: BatchRow[] = [];
  for (const page of yield* lockPendingPages(session, runSeq)) {
    for (const row of yield* pages.takeOut(page, indexesOf(page, ".", "b"), given)) rows.push(row);
  }
  yield* pages.write({ keepsPayloads: true });
  return rows;
}
