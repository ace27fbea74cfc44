import { all, type Operation, run, type Session } from "../../sql/query.ts";
import type { Counts } from "../records.ts";

/** Changes of the counts, in deliveries. */
export interface CountChanges {
  readonly accepted?: number;
  readonly delivered?: number;
  readonly dead?: number;
  readonly pending?: number;
}

/** Adds changes to the counts of a channel and target. */
export function* addCounts(
  { shard }: Session,
  channel: string,
  target: string,
  { accepted = 0, delivered = 0, dead = 0, pending = 0 }: CountChanges,
): Operation<void> {
  if (accepted === 0 && delivered === 0 && dead === 0 && pending === 0) return;
  yield* run(
    `INSERT INTO {books} AS b (channel, target, shard, accepted, delivered, dead, pending)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (channel, target, shard) DO UPDATE SET
       accepted = b.accepted + excluded.accepted,
       delivered = b.delivered + excluded.delivered,
       dead = b.dead + excluded.dead,
       pending = b.pending + excluded.pending`,
    channel,
    target,
    shard,
    accepted,
    delivered,
    dead,
    pending,
  );
}

/** Returns the counts per channel and target. */
export function* counts(_session: Session, recount: boolean): Operation<readonly Counts[]> {
  const rows = yield* all<Counts>(
    `SELECT channel, target, CAST(SUM(accepted) AS BIGINT) AS accepted,
       CAST(SUM(delivered) AS BIGINT) AS delivered, CAST(SUM(dead) AS BIGINT) AS dead,
       CAST(SUM(pending) AS BIGINT) AS pending
     FROM {books} GROUP BY channel, target`,
  );
  const sorted = [...rows].sort(byChannelAndTarget);
  if (!recount) return sorted;
  const pending = yield* all<{ channel: string; target: string; pending: number }>(
    `SELECT channel, target, CAST(SUM(element_count) AS BIGINT) AS pending
     FROM {work} GROUP BY channel, target`,
  );
  const counted = new Map(pending.map((row) => [JSON.stringify([row.channel, row.target]), row.pending]));
  return sorted.map((row) => ({
    ...row,
    pending: counted.get(JSON.stringify([row.channel, row.target])) ?? 0,
  }));
}

/** Sorted here instead of in the database, whose collation may differ. */
function byChannelAndTarget(a: Counts, b: Counts): number {
  if (a.channel !== b.channel) return a.channel < b.channel ? -1 : 1;
  return a.target < b.target ? -1 : 1;
}
