import type { FunnelStep, TaskStatistics } from "../../../../gen/engage/channel/v1/statistics_pb.ts";

export interface FunnelRow {
  readonly name: string;
  readonly users: bigint;
  /** The part of the first step, 0 to 1; undefined where the first has no users. */
  readonly share: number | undefined;
}

/** The steps of a funnel with their part of the first. */
export function funnelRowsOf(steps: readonly FunnelStep[]): readonly FunnelRow[] {
  const first = steps[0]?.users ?? 0n;
  return steps.map(({ name, users }) => ({
    name,
    users,
    share: first === 0n ? undefined : shareOf(users, first),
  }));
}

/** How much of a run is done, 0 to 1: the settled batches of those that exist so far. */
export function progressOf({ batches, settledBatches }: TaskStatistics): number {
  return batches === 0n ? 0 : shareOf(settledBatches, batches);
}

/** Divides whole numbers of any size; four digits are enough to show. */
function shareOf(part: bigint, whole: bigint): number {
  return Number((part * 10_000n) / whole) / 10_000;
}

/** The number of messages that failed, for all reasons. */
export function failedOf({ failed }: TaskStatistics): bigint {
  return failed.reduce((sum, { count }) => sum + count, 0n);
}
