import { first, type Operation, type Session } from "../../sql/query.ts";
import type { RunState, StoredRun } from "../runs.ts";
import { channelIdOf, taskIdOf } from "./ids.ts";

export interface RunRow {
  readonly seq: number;
  readonly run_id: string;
  readonly task_seq: number;
  readonly channel_seq: number;
  readonly state: RunState;
  readonly failure: string;
  readonly channel: Uint8Array;
  readonly position: string | null;
  readonly batches: number;
  readonly batched: number;
  readonly planned: number;
  readonly filtered: number;
  readonly control: number;
  readonly started_at_ms: number;
  readonly prepared_at_ms: number | null;
  readonly ended_at_ms: number | null;
  readonly trace: string | null;
}

export const runColumns = `seq, run_id, task_seq, channel_seq, state, failure, channel, position, batches,
  batched, planned, filtered, control, started_at_ms, prepared_at_ms, ended_at_ms, trace`;

export function* findRun(_session: Session, runId: string): Operation<StoredRun | null> {
  const row = yield* findRunRow(runId);
  return row && toRun(row);
}

export function* findRunRow(runId: string): Operation<RunRow | null> {
  return yield* first<RunRow>(`SELECT ${runColumns} FROM {runs} WHERE run_id = $1`, runId);
}

export function* lockRun({ dialect }: Session, seq: number): Operation<RunRow | null> {
  return yield* first<RunRow>(`SELECT ${runColumns} FROM {runs} WHERE seq = $1 ${dialect.forUpdate}`, seq);
}

export function toRun(row: RunRow): StoredRun {
  return {
    runId: row.run_id,
    seq: row.seq,
    taskId: taskIdOf(row.task_seq),
    channelId: channelIdOf(row.channel_seq),
    state: row.state,
    failure: row.failure,
    channel: row.channel,
    cursor: row.position,
    batches: row.batches,
    startedAtMs: row.started_at_ms,
    preparedAtMs: row.prepared_at_ms,
    endedAtMs: row.ended_at_ms,
    trace: row.trace ?? undefined,
  };
}
