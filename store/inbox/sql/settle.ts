import { all, first, type Operation, run, type Session } from "../../sql/query.ts";
import type { LeaseKey } from "../ids.ts";
import { decodeIndexes } from "../index-set.ts";
import { planSettlement, type Settlement } from "../settlement.ts";
import type { ElementOutcome, SettleResult } from "../work.ts";
import type { SettledItem } from "./attempts.ts";
import { addCounts } from "./counts.ts";
import { insertDeadLetters } from "./dead-letters.ts";
import { dequeue, lockOrder, type SettledElements } from "./order.ts";
import { readableElements } from "./rows/stored-bodies.ts";
import { addWork, finishIfDone, reduceWork, type WorkRow, workColumns } from "./rows/work-rows.ts";

const free = { leased: 0, lease_key: 0, begun: "" } as const;

export interface Settled {
  readonly result: SettleResult;
  /** The target, when it may have work which was not leasable before. */
  readonly wake: readonly string[];
  /** The item; null for a stale lease. */
  readonly item: SettledItem | null;
}

export function* settle(
  session: Session,
  { workId, leaseKey }: LeaseKey,
  outcomes: readonly ElementOutcome[],
  wallMs: number,
): Operation<Settled> {
  const row = yield* first<WorkRow>(
    `SELECT ${workColumns} FROM {work} w
     WHERE w.id = $1 AND w.lease_key = $2 AND w.leased > 0 ${session.dialect.forUpdate}`,
    workId,
    leaseKey,
  );
  return row === null ? stale : yield* settleRow(session, row, outcomes, wallMs);
}

/** The arguments of one of several settlements. */
export interface OneSettlement {
  readonly key: LeaseKey;
  readonly outcomes: readonly ElementOutcome[];
}

/** Settles several items in one commit, in a fixed order of targets, which prevents deadlocks. */
export function* settleAll(
  session: Session,
  settlements: readonly OneSettlement[],
  wallMs: number,
): Operation<readonly Settled[]> {
  const { forUpdate, integersOf } = session.dialect;
  const rows = yield* all<WorkRow>(
    `SELECT ${workColumns} FROM {work} w WHERE w.id IN ${integersOf("$1")} AND w.leased > 0
     ORDER BY w.id ${forUpdate}`,
    JSON.stringify(settlements.map(({ key }) => key.workId)),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const held = settlements.flatMap((settlement): readonly Held[] => {
    const row = byId.get(settlement.key.workId);
    return row?.lease_key === settlement.key.leaseKey ? [{ settlement, row }] : [];
  });
  const settled = new Map<OneSettlement, Settled>();
  const groups = Map.groupBy(held, ({ row }) => row.target);
  for (const target of [...groups.keys()].toSorted()) {
    const [done, others] = partition(groups.get(target)!, isWhollyDone);
    if (done.length > 0) yield* settleDone(session, target, done);
    for (const { settlement } of done) settled.set(settlement, doneOf(settlement, byId));
    for (const { settlement, row } of others) {
      settled.set(settlement, yield* settleRow(session, row, settlement.outcomes, wallMs));
    }
  }
  return settlements.map((one) => settled.get(one) ?? stale);
}

interface Held {
  readonly settlement: OneSettlement;
  readonly row: WorkRow;
}

/** Reports whether an item is done as a whole, as nearly all are. */
function isWhollyDone({ settlement, row }: Held): boolean {
  const { outcomes } = settlement;
  if (outcomes.length !== row.element_count || outcomes.some(({ kind }) => kind !== "done")) return false;
  const indexes = new Set(outcomes.map(({ index }) => index));
  return (
    indexes.size === outcomes.length && decodeIndexes(row.element_indexes).every((one) => indexes.has(one))
  );
}

/** Ends items of one target together, in as few statements as one of them needs. */
function* settleDone(session: Session, target: string, done: readonly Held[]): Operation<void> {
  if (done.some(({ row }) => row.is_ordered === 1)) yield* lockOrder(session, target);
  yield* run(
    `DELETE FROM {work} WHERE id IN ${session.dialect.integersOf("$1")}`,
    JSON.stringify(done.map(({ row }) => row.id)),
  );
  const leaving = done
    .filter(({ row }) => row.is_ordered === 1)
    .map(({ settlement, row }) => ({
      batchSeq: row.batch_seq,
      indexes: settlement.outcomes.map(({ index }) => index),
    }));
  if (leaving.length > 0) yield* dequeue(session, target, mergeByBatch(leaving));
  const byChannel = Map.groupBy(done, ({ row }) => row.channel);
  for (const channel of [...byChannel.keys()].toSorted()) {
    const count = byChannel.get(channel)!.reduce((sum, { row }) => sum + row.element_count, 0);
    yield* addCounts(session, channel, target, { delivered: count, pending: -count });
  }
  yield* finishIfDone(session, ...new Set(done.map(({ row }) => row.batch_seq)));
}

/** Merges the items of one batch. */
function mergeByBatch(leaving: readonly SettledElements[]): readonly SettledElements[] {
  const merged = Map.groupBy(leaving, ({ batchSeq }) => batchSeq);
  return [...merged].map(([batchSeq, own]) => ({ batchSeq, indexes: own.flatMap(({ indexes }) => indexes) }));
}

function doneOf({ key }: OneSettlement, rows: ReadonlyMap<number, WorkRow>): Settled {
  const row = rows.get(key.workId)!;
  return {
    result: { kind: "settled", remaining: 0, ignored: [] },
    wake: row.is_ordered === 1 ? [row.target] : [],
    item: itemOf(row),
  };
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

const stale: Settled = { result: { kind: "stale" }, wake: [], item: null };

function itemOf({ batch_seq: batchSeq, target, attempt }: WorkRow): SettledItem {
  return { batchSeq, target, attempt: attempt + 1 };
}

function* settleRow(
  session: Session,
  row: WorkRow,
  outcomes: readonly ElementOutcome[],
  wallMs: number,
): Operation<Settled> {
  if (row.is_ordered === 1) yield* lockOrder(session, row.target);
  const held = decodeIndexes(row.element_indexes);
  const plan = planSettlement(held, outcomes);
  yield* updateWork(session, row, plan);
  yield* insertDead(session, row, plan.dead, wallMs);
  const settled = [...plan.delivered, ...plan.dead.map(({ index }) => index)];
  if (row.is_ordered === 1 && settled.length > 0) {
    yield* dequeue(session, row.target, [{ batchSeq: row.batch_seq, indexes: settled }]);
  }
  yield* addCounts(session, row.channel, row.target, {
    delivered: plan.delivered.length,
    dead: plan.dead.length,
    pending: -settled.length,
  });
  if (settled.length === held.length) yield* finishIfDone(session, row.batch_seq);
  const isMore = row.is_ordered === 1 || plan.retries.length > 0 || plan.returned.length > 0;
  return {
    result: { kind: "settled", remaining: plan.remaining.length, ignored: plan.ignored },
    wake: isMore ? [row.target] : [],
    item: itemOf(row),
  };
}

/**
 * Updates the rows of partly settled work. The row keeps the elements which are still leased; elements
 * to be tried again get rows of their own, the first of which reuses this row if it is free.
 */
function* updateWork({ nowMs }: Session, row: WorkRow, plan: Settlement): Operation<void> {
  const again = [
    ...plan.retries.map(({ indexes, notBeforeMs, reason }) => ({
      ...free,
      indexes,
      due_at_ms: notBeforeMs,
      reason,
      attempt: row.attempt + 1,
      suspect: 0,
    })),
    {
      ...free,
      indexes: plan.returned,
      due_at_ms: nowMs,
      reason: row.reason,
      attempt: row.attempt,
      suspect: row.suspect,
    },
  ].filter(({ indexes }) => indexes.length > 0);
  const reused = plan.remaining.length > 0 ? { ...row, indexes: plan.remaining } : again.shift();
  if (reused === undefined) yield* run("DELETE FROM {work} WHERE id = $1", row.id);
  else yield* reduceWork(row.id, reused.indexes, reused);
  for (const work of again) yield* addWork({ ...row, ...work });
}

function* insertDead(
  session: Session,
  row: WorkRow,
  dead: Settlement["dead"],
  wallMs: number,
): Operation<void> {
  if (dead.length === 0) return;
  const stored = yield* first<{ elements: Uint8Array | null; accepted_at_ms: number }>(
    `SELECT o.elements, b.accepted_at_ms FROM {batches} b LEFT JOIN {bodies} o ON o.batch_seq = b.seq
     WHERE b.seq = $1`,
    row.batch_seq,
  );
  const { batch_seq: batchSeq, channel, target, attempt } = row;
  const item = {
    batchSeq,
    channel,
    target,
    diedAtMs: wallMs,
    acceptedAtMs: stored?.accepted_at_ms ?? wallMs,
  };
  const elements = readableElements(stored?.elements);
  const unsent = dead.filter(({ isUnsent }) => isUnsent);
  const sent = dead.filter(({ isUnsent }) => !isUnsent);
  yield* insertDeadLetters(session, { ...item, attempts: attempt + 1 }, elements, sent);
  yield* insertDeadLetters(session, { ...item, attempts: attempt }, elements, unsent);
}
