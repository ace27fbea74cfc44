import { all, first, type Operation, type Session } from "../../sql/query.ts";
import type {
  DueTask,
  NewTask,
  Page,
  PageRequest,
  StoredTask,
  TaskCreated,
  TaskFilter,
  TaskState,
} from "../records.ts";
import { lockChannel } from "./channel-rows.ts";
import { channelIdOf, numberOfCursor, seqOfChannel, seqOfTask, taskIdOf } from "./ids.ts";

export interface TaskRow {
  readonly seq: number;
  readonly name: string;
  readonly channel_seq: number;
  readonly definition: Uint8Array;
  readonly state: TaskState;
  readonly failure: string;
  readonly version: number;
  readonly created_at_ms: number;
  readonly next_run_at_ms: number | null;
  readonly run_id: string | null;
  readonly run_seq: number | null;
  /** The day of the latest run, and its number of runs. */
  readonly run_day: string;
  readonly run_day_count: number;
}

/** @param definition the expression of the definition */
function columnsWith(definition: string): string {
  return `seq, name, channel_seq, ${definition}, state, failure, version, created_at_ms,
    next_run_at_ms, run_id, run_seq, run_day, run_day_count`;
}

export const taskColumns = columnsWith("definition");
const shortColumns = columnsWith("substr(definition, 1, 0) AS definition");

export function* createTask({ nowMs, dialect }: Session, task: NewTask): Operation<TaskCreated> {
  const channelSeq = seqOfChannel(task.channelId);
  if ((yield* lockChannel(dialect.forUpdate, channelSeq)) === null) return { kind: "unknown_channel" };
  const state: TaskState = task.nextRunAtMs === null ? "draft" : "scheduled";
  const row = yield* first<TaskRow>(
    `INSERT INTO {tasks} (name, channel_seq, definition, state, failure, version, created_at_ms,
       next_run_at_ms, run_day, run_day_count)
     VALUES ($1, $2, $3, $4, '', 1, $5, $6, '', 0) RETURNING ${taskColumns}`,
    task.name,
    channelSeq,
    task.definition,
    state,
    nowMs,
    task.nextRunAtMs,
  );
  return { kind: "created", task: toTask(row!) };
}

export function* findTask(_session: Session, taskId: string): Operation<StoredTask | null> {
  const row = yield* first<TaskRow>(`SELECT ${taskColumns} FROM {tasks} WHERE seq = $1`, seqOfTask(taskId));
  return row && toTask(row);
}

export function* listTasks(
  _session: Session,
  { channelId, states = [], withoutDefinition = false }: TaskFilter,
  { limit, after }: PageRequest,
): Operation<Page<StoredTask>> {
  const before = numberOfCursor(after, Number.MAX_SAFE_INTEGER);
  const channel = channelId === undefined ? [] : [seqOfChannel(channelId)];
  const ofChannel = channel.map(() => "AND channel_seq = $3").join("");
  const places = states.map((_, i) => `$${3 + channel.length + i}`).join(", ");
  const inState = states.length === 0 ? "" : `AND state IN (${places})`;
  const rows = yield* all<TaskRow>(
    `SELECT ${withoutDefinition ? shortColumns : taskColumns} FROM {tasks}
     WHERE seq < $1 ${ofChannel} ${inState} ORDER BY seq DESC LIMIT $2`,
    before,
    limit + 1,
    ...channel,
    ...states,
  );
  const onPage = rows.slice(0, limit);
  return { items: onPage.map(toTask), next: rows.length > limit ? String(onPage.at(-1)!.seq) : null };
}

export function* dueTasks(
  { nowMs }: Session,
  limit: number,
): Operation<{ due: readonly DueTask[]; nextAtMs: number | null }> {
  const rows = yield* all<TaskRow>(
    `SELECT ${taskColumns} FROM {tasks} WHERE next_run_at_ms <= $1 ORDER BY next_run_at_ms, seq LIMIT $2`,
    nowMs,
    limit,
  );
  const later = yield* first<{ at_ms: number | null }>(
    "SELECT MIN(next_run_at_ms) AS at_ms FROM {tasks} WHERE next_run_at_ms > $1",
    nowMs,
  );
  return { due: rows.map(toTask) as DueTask[], nextAtMs: later?.at_ms ?? null };
}

export function* lockTask({ dialect }: Session, seq: number): Operation<TaskRow | null> {
  return yield* first<TaskRow>(`SELECT ${taskColumns} FROM {tasks} WHERE seq = $1 ${dialect.forUpdate}`, seq);
}

export function toTask(row: TaskRow): StoredTask {
  return {
    taskId: taskIdOf(row.seq),
    name: row.name,
    channelId: channelIdOf(row.channel_seq),
    definition: row.definition,
    state: row.state,
    failure: row.failure,
    version: row.version,
    createdAtMs: row.created_at_ms,
    nextRunAtMs: row.next_run_at_ms,
    runId: row.run_id,
  };
}
