import { all, first, type Operation, run, type Session } from "../../sql/query.ts";
import { type BatchRow, type HeldRow, heldColumns, lockHeld } from "./batch-rows.ts";
import { finishIfSettled, finishSettledRuns } from "./end-run.ts";
import { channelIdOf, decodeBatchToken, groupLeases, type LeaseToken, seqOfChannel } from "./ids.ts";
import { type DueRow, type LeaseArguments, leaseDue } from "./lease-due.ts";
import { heldRow, isPage, Pages } from "./pages.ts";
import { expireShares, recordCallTime } from "./shares.ts";
import { Tallies } from "./tallies.ts";

/** The maximum that a channel's settings allow. */
const longestRetryMs = 600_000;

export interface LeasedRow extends DueRow {
  readonly payload: Uint8Array;
  /** As `encodeParts` writes them; null for a single batch. */
  readonly parts: string | null;
}

export interface LeasedRows {
  readonly rows: readonly LeasedRow[];
  readonly untilMs: number;
  readonly nextDueAtMs: number | null;
  /** The batches of the next row. */
  readonly nextCount: number;
}

/** A channel and when one of its batches can be leased, by the lease clock. */
export interface DueChannel {
  readonly channelId: string;
  readonly dueAtMs: number;
}

export function* leaseBatches(session: Session, leasing: LeaseArguments): Operation<LeasedRows> {
  const due = yield* leaseDue(session, leasing, failOrphans);
  const rows: LeasedRow[] = [];
  for (const own of Map.groupBy(due, ({ run_seq }) => run_seq).values()) {
    rows.push(...(yield* withPayloads(session, own)));
  }
  const next = yield* first<{ due_at_ms: number; batch_count: number }>(
    `SELECT due_at_ms, batch_count FROM {batches} WHERE channel_seq = $1 AND is_open = 1
     ORDER BY due_at_ms, run_seq, number LIMIT 1`,
    seqOfChannel(leasing.channelId),
  );
  const untilMs = leasing.atMs + leasing.leaseMs;
  return { rows, untilMs, nextDueAtMs: next?.due_at_ms ?? null, nextCount: next?.batch_count ?? 0 };
}

/** Reads what batches of one run are sent from. */
function* withPayloads({ dialect }: Session, rows: readonly DueRow[]): Operation<readonly LeasedRow[]> {
  const { run_seq: runSeq } = rows[0]!;
  const found = yield* all<{ number: number; payload: Uint8Array; parts: string | null }>(
    `SELECT b.number, COALESCE(g.payload, p.payload, c.body) AS payload, g.parts FROM {batches} b
     LEFT JOIN {pages} g ON g.run_seq = b.run_seq AND g.number = b.number
     LEFT JOIN {payloads} p ON p.run_seq = b.run_seq AND p.number = b.number
     LEFT JOIN {bodies} c ON c.run_seq = b.run_seq AND c.number = b.number
     WHERE b.run_seq = $1 AND b.number IN ${dialect.integersOf("$2")}`,
    runSeq,
    JSON.stringify(rows.map(({ number }) => number)),
  );
  const stored = new Map(found.map((one) => [one.number, one]));
  return rows.map((row) => ({ ...row, ...stored.get(row.number)! }));
}

/** Extends leases; returns the stale tokens. */
export function* extendBatches(
  session: Session,
  tokens: readonly string[],
  untilMs: number,
): Operation<readonly string[]> {
  return yield* changeHeld(session, tokens, function* (held) {
    const rows = held.map(({ row }) => row);
    yield* updateRows(session, rows, "due_at_ms = $3", [untilMs]);
  });
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
  const runs = new Set<number>();
  const stale = yield* changeHeld(session, tokens, function* (held, pages) {
    for (const { row, lease } of held) {
      runs.add(lease.runSeq);
      if (isPage(row)) pages.mark(row, pages.indexOf(row, lease.number), "b");
    }
    const single = held.map(({ row }) => row).filter((row) => !isPage(row));
    yield* updateRows(session, single, "attempts = attempts + 1 - is_begun, is_begun = 1", []);
  });
  for (const runSeq of runs) yield* recordCallTime(session, runSeq, atMs);
  return stale;
}

interface HeldLease {
  readonly lease: LeaseToken;
  /** The row of the batch, or of its page. */
  readonly row: HeldRow;
}

/**
 * Changes the batches of leases that are still held; returns the stale tokens.
 * @param change writes the changes of one lease
 */
function* changeHeld(
  session: Session,
  tokens: readonly string[],
  change: (held: readonly HeldLease[], pages: Pages) => Operation<void>,
): Operation<readonly string[]> {
  const current = new Set<string>();
  const given = tokens.flatMap((token) => {
    const lease = decodeBatchToken(token);
    return lease === null ? [] : [{ token, lease }];
  });
  for (const group of groupLeases(given)) {
    const rows = yield* lockHeld(session, heldColumns, group);
    const pages = new Pages();
    const held = group.flatMap(({ token, lease }) => {
      const row = heldRow(rows, pages, lease);
      if (row === undefined) return [];
      current.add(token);
      return [{ lease, row }];
    });
    yield* change(held, pages);
    yield* pages.write();
  }
  return tokens.filter((token) => !current.has(token));
}

/** @param values the parameters of the change, from `$3` on */
function* updateRows(
  { dialect }: Session,
  rows: readonly HeldRow[],
  change: string,
  values: readonly number[],
): Operation<void> {
  const runSeq = rows[0]?.run_seq;
  if (runSeq === undefined) return;
  yield* run(
    `UPDATE {batches} SET ${change} WHERE run_seq = $1 AND number IN ${dialect.integersOf("$2")}`,
    runSeq,
    JSON.stringify([...new Set(rows.map(({ number }) => number))]),
    ...values,
  );
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
function* failOrphans(session: Session, orphans: readonly BatchRow[]): Operation<void> {
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
