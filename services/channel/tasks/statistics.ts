import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type BatchSummary,
  BatchSummarySchema,
  type TaskProgress,
  TaskProgressSchema,
  type TaskStatistics,
  TaskStatisticsSchema,
} from "../../../gen/engage/channel/v1/statistics_pb.ts";
import type { BatchRecord, RunStatistics, StoredTask } from "../../../store/channels/channels.ts";
import { taskStates } from "./codec.ts";

export function toStatistics(counts: RunStatistics): TaskStatistics {
  return create(TaskStatisticsSchema, {
    planned: BigInt(counts.planned),
    filtered: BigInt(counts.filtered),
    control: BigInt(counts.control),
    batched: BigInt(counts.batched),
    sent: BigInt(counts.sent),
    succeeded: BigInt(counts.succeeded),
    failed: counts.failed.map(({ reason, count }) => ({ reason, count: BigInt(count) })),
    retried: BigInt(counts.retried),
    warnings: BigInt(counts.warnings),
    batches: BigInt(counts.batches),
    settledBatches: BigInt(counts.settledBatches),
  });
}

/** Creates a progress message. @param state state of the run, or of the task if it has no run */
export function toProgress(
  { taskId, runId }: Pick<StoredTask, "taskId" | "runId">,
  state: StoredTask["state"],
  counts: RunStatistics | null,
  nowMs: number,
): TaskProgress {
  return create(TaskProgressSchema, {
    taskId,
    taskInstanceId: runId ?? "",
    state: taskStates[state],
    ...(counts !== null && { statistics: toStatistics(counts) }),
    time: timestampFromMs(nowMs),
  });
}

export function toBatchSummary(batch: BatchRecord): BatchSummary {
  return create(BatchSummarySchema, {
    number: BigInt(batch.number),
    requestId: batch.requestId,
    size: batch.size,
    state: batch.state,
    attempts: batch.attempts,
    failedItems: batch.failedItems.map(({ index, pushId, message }) => ({ index, pushId, message })),
    lastFailure: batch.lastFailure,
  });
}
