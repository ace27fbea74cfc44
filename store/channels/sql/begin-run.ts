import { first, type Operation, run, type Session } from "../../sql/query.ts";
import type { DueClaim, DueClaimed, NewRun, RunStarted, StoredRun } from "../runs.ts";
import { lockChannel } from "./channel-rows.ts";
import { seqOfTask, taskIdOf } from "./ids.ts";
import { type RunRow, runColumns, toRun } from "./run-rows.ts";
import { lockTask, type TaskRow, taskColumns, toTask } from "./task-rows.ts";

export function* startRun(session: Session, taskId: string, given: NewRun): Operation<RunStarted> {
  const task = yield* lockTask(session, seqOfTask(taskId));
  if (task === null) return { kind: "unknown_task" };
  if (isRunning(task) || task.state === "cancelled") return { kind: "refused", task: toTask(task) };
  const begun = yield* insertRun(session, task, given);
  return begun === null ? { kind: "unknown_channel" } : { kind: "started", ...begun };
}

export function* claimDueTask(session: Session, claim: DueClaim): Operation<DueClaimed> {
  const task = yield* lockTask(session, seqOfTask(claim.taskId));
  if (task === null || task.next_run_at_ms !== claim.nextRunAtMs) return { kind: "lost" };
  const isFree = !isRunning(task);
  const { failure = "" } = claim;
  const end = failure === "" ? "done" : "failed";
  const state = isFree && claim.followingAtMs === null ? end : task.state;
  const moved = yield* first<TaskRow>(
    `UPDATE {tasks} SET next_run_at_ms = $1, state = $2, failure = $3, version = version + 1
     WHERE seq = $4 RETURNING ${taskColumns}`,
    claim.followingAtMs,
    state,
    failure,
    task.seq,
  );
  const begun = claim.run !== null && isFree ? yield* insertRun(session, moved!, claim.run) : null;
  return { kind: "claimed", ...(begun ?? { task: toTask(moved!), run: null }) };
}

function isRunning({ state }: TaskRow): boolean {
  return state === "preparing" || state === "sending";
}

/** Inserts a run and updates its task; returns null when the channel was deleted. */
function* insertRun(
  session: Session,
  task: TaskRow,
  { day, trace }: NewRun,
): Operation<{ task: ReturnType<typeof toTask>; run: StoredRun } | null> {
  const channel = yield* lockChannel(session.dialect.forUpdate, task.channel_seq);
  if (channel === null) return null;
  const count = task.run_day === day ? task.run_day_count + 1 : 1;
  const runId = [taskIdOf(task.seq), day, ...(count === 1 ? [] : [count])].join("_");
  const row = yield* first<RunRow>(
    `INSERT INTO {runs} (run_id, task_seq, channel_seq, state, failure, channel, position, batches, batched,
       planned, filtered, control, started_at_ms, is_open, has_bodies, is_pruned, lease_key, lease_until_ms, lease_owner,
       trace)
     VALUES ($1, $2, $3, 'preparing', '', $4, NULL, 0, 0, 0, 0, 0, $5, 1, 0, 0, 0, 0, '', $6)
     RETURNING ${runColumns}`,
    runId,
    task.seq,
    task.channel_seq,
    channel.definition,
    session.nowMs,
    trace ?? null,
  );
  yield* run(
    `UPDATE {tasks} SET state = 'preparing', failure = '', version = version + 1, run_id = $1, run_seq = $2,
       run_day = $3, run_day_count = $4 WHERE seq = $5`,
    runId,
    row!.seq,
    day,
    count,
    task.seq,
  );
  const begun = yield* first<TaskRow>(`SELECT ${taskColumns} FROM {tasks} WHERE seq = $1`, task.seq);
  return { task: toTask(begun!), run: toRun(row!) };
}
