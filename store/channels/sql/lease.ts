import { all, first, type Operation, run, type Session } from "../../sql/query.ts";
import type { LeaseRequest } from "../batches.ts";
import type { RunState } from "../runs.ts";
import { type BatchRow, batchColumns, lockHeld } from "./batch-rows.ts";
import { finishIfSettled, finishSettledRuns } from "./end-run.ts";
import { channelIdOf, decodeBatchToken, encodeBatchToken, groupLeases, seqOfChannel } from "./ids.ts";
import { expireShares, recordCallTime } from "./shares.ts";
import { Tallies } from "./tallies.ts";

/** The maximum that a channel's settings allow. */
const longestRetryMs = 600_000;

export interface LeasedRow extends BatchRow {
  readonly run_id: string;
  readonly run_state: RunState;
  readonly payload: Uint8Array;
}

export interface LeasedRows {
  readonly rows: readonly LeasedRow[];
  readonly untilMs: number;
  readonly nextDueAtMs: number | null;
}

export interface LeaseArguments extends LeaseRequest {
  readonly key: number;
  /** The time by the lease clock. */
  readonly atMs: number;
}

/** A channel and when one of its batches can be leased, by the lease clock. */
export interface DueChannel {
  readonly channelId: string;
  readonly dueAtMs: number;
}

export function* leaseBatches(session: Session, leasing: LeaseArguments): Operation<LeasedRows> {
  const { dialect } = session;
  const channelSeq = seqOfChannel(leasing.channelId);
  const found = yield* all<LeasedRow>(
    `SELECT ${batchColumns}, r.run_id, r.state AS run_state, COALESCE(p.payload, c.body) AS payload FROM {batches} b
     JOIN {runs} r ON r.seq = b.run_seq
     LEFT JOIN {payloads} p ON p.run_seq = b.run_seq AND p.number = b.number
     LEFT JOIN {bodies} c ON c.run_seq = b.run_seq AND c.number = b.number
     WHERE b.channel_seq = $1 AND b.is_open = 1 AND b.due_at_ms <= $2
     ORDER BY b.due_at_ms, b.run_seq, b.number LIMIT $3 ${dialect.skipLocked("b")}`,
    channelSeq,
    leasing.atMs,
    leasing.maxBatches,
  );
  const isAlive = ({ run_state }: LeasedRow): boolean => run_state === "preparing" || run_state === "sending";
  const rows = found.filter(isAlive);
  const untilMs = leasing.atMs + leasing.leaseMs;
  for (const [runSeq, numbers] of byRun(rows)) {
    yield* run(
      `UPDATE {batches} SET state = 'in_flight', due_at_ms = $1, lease_key = $2, lease_owner = $3,
         is_begun = 0 WHERE run_seq = $4 AND number IN ${dialect.integersOf("$5")}`,
      untilMs,
      leasing.key,
      leasing.owner,
      runSeq,
      JSON.stringify(numbers),
    );
  }
  yield* failOrphans(
    session,
    found.filter((row) => !isAlive(row)),
  );
  const next = yield* first<{ at_ms: number | null }>(
    "SELECT MIN(due_at_ms) AS at_ms FROM {batches} WHERE channel_seq = $1 AND is_open = 1",
    channelSeq,
  );
  return { rows, untilMs, nextDueAtMs: next?.at_ms ?? null };
}

/** Extends leases; returns the stale tokens. */
export function* extendBatches(
  session: Session,
  tokens: readonly string[],
  untilMs: number,
): Operation<readonly string[]> {
  return yield* changeHeld(session, tokens, "due_at_ms = $3", [untilMs]);
}

/**
 * Records that attempts begin; returns the stale tokens. A repeated mark counts once.
 * @param atMs by the lease clock
 */
export function* beginBatches(
  session: Session,
  tokens: readonly string[],
  atMs: number,
): Operation<readonly string[]> {
  const stale = yield* changeHeld(session, tokens, "attempts = attempts + 1 - is_begun, is_begun = 1", []);
  const runs = tokens.flatMap((token) => decodeBatchToken(token)?.runSeq ?? []);
  for (const runSeq of new Set(runs)) yield* recordCallTime(session, runSeq, atMs);
  return stale;
}

/**
 * Changes the batches of leases that are still held; returns the stale tokens.
 * @param values the parameters of the change, from `$3` on
 */
function* changeHeld(
  session: Session,
  tokens: readonly string[],
  change: string,
  values: readonly number[],
): Operation<readonly string[]> {
  const { dialect } = session;
  const held = new Set<string>();
  const given = tokens.flatMap((token) => {
    const lease = decodeBatchToken(token);
    return lease === null ? [] : [{ lease }];
  });
  for (const group of groupLeases(given)) {
    const { runSeq, key } = group[0]!.lease;
    const rows = yield* lockHeld<{ number: number }>(session, "b.number", group);
    yield* run(
      `UPDATE {batches} SET ${change} WHERE run_seq = $1 AND number IN ${dialect.integersOf("$2")}`,
      runSeq,
      JSON.stringify(rows.map(({ number }) => number)),
      ...values,
    );
    for (const { number } of rows) held.add(encodeBatchToken({ runSeq, number, key }));
  }
  return tokens.filter((token) => !held.has(token));
}

export function* busyChannels(session: Session): Operation<readonly DueChannel[]> {
  yield* finishSettledRuns(session);
  const rows = yield* all<{ channel_seq: number; at_ms: number | null }>(
    `SELECT channel_seq, (SELECT MIN(b.due_at_ms) FROM {batches} b
         WHERE b.channel_seq = r.channel_seq AND b.is_open = 1) AS at_ms
     FROM {runs} r WHERE is_open = 1 GROUP BY channel_seq`,
  );
  return rows
    .flatMap(({ channel_seq, at_ms }) =>
      at_ms === null ? [] : [{ channelId: channelIdOf(channel_seq), dueAtMs: at_ms }],
    )
    .sort((a, b) => a.dueAtMs - b.dueAtMs);
}

/**
 * Ends the leases of the process that had the file before: it has ended, and its calls with it. If its
 * clock was ahead, retries are delayed by their longest interval at most.
 */
export function* expireLeases(_session: Session, atMs: number): Operation<void> {
  yield* run(
    `UPDATE {batches} SET state = 'pending', due_at_ms = $1, lease_key = 0, is_begun = 0 WHERE is_open = 1 AND state = 'in_flight'`,
    atMs,
  );
  yield* run(
    "UPDATE {batches} SET due_at_ms = $1 WHERE is_open = 1 AND due_at_ms > $1",
    atMs + longestRetryMs,
  );
  yield* run("UPDATE {runs} SET lease_until_ms = 0, lease_key = 0 WHERE state = 'preparing'");
  yield* expireShares(atMs);
}

/** Fails batches in flight whose run was stopped and whose holder never settled them. */
function* failOrphans(session: Session, orphans: readonly LeasedRow[]): Operation<void> {
  const tallies = new Tallies(session);
  for (const orphan of orphans) {
    const { run_seq: runSeq, number, size } = orphan;
    yield* run(
      `UPDATE {batches} SET state = 'failed', is_open = 0, lease_key = 0, is_begun = 0, last_failure = 'cancelled'
       WHERE run_seq = $1 AND number = $2`,
      runSeq,
      number,
    );
    tallies.addAttempts(orphan, orphan.attempts);
    tallies.add(runSeq, "settled", 1);
    tallies.add(runSeq, "failed", size, "cancelled");
  }
  yield* tallies.write();
  for (const runSeq of new Set(orphans.map(({ run_seq }) => run_seq)))
    yield* finishIfSettled(session, runSeq);
}

function byRun(rows: readonly LeasedRow[]): ReadonlyMap<number, readonly number[]> {
  const grouped = Map.groupBy(rows, ({ run_seq }) => run_seq);
  return new Map([...grouped].map(([runSeq, own]) => [runSeq, own.map(({ number }) => number)]));
}
