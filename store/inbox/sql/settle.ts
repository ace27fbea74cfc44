import { first, type Operation, run, type Session } from "../../sql/query.ts";
import type { LeaseKey } from "../ids.ts";
import { decodeIndexes } from "../index-set.ts";
import { planSettlement, type Settlement } from "../settlement.ts";
import type { ElementOutcome, SettleResult } from "../work.ts";
import { book } from "./books.ts";
import { bury } from "./dead-letters.ts";
import { leaveLine, lockOrder } from "./order.ts";
import { readableElements } from "./stored-bodies.ts";
import { addWork, finishIfDone, reduceWork, WORK_COLUMNS, type WorkRow } from "./work-rows.ts";

const FREE = { leased: 0, lease_key: 0, begun: "" } as const;

export interface Settled {
  readonly result: SettleResult;
  /** The target, when it may have work that wasn't leasable before. */
  readonly wake: readonly string[];
}

export function* settle(
  session: Session,
  { workId, leaseKey }: LeaseKey,
  outcomes: readonly ElementOutcome[],
  wallMs: number,
): Operation<Settled> {
  const row = yield* first<WorkRow>(
    `SELECT ${WORK_COLUMNS} FROM {work} w
     WHERE w.id = $1 AND w.lease_key = $2 AND w.leased > 0 ${session.dialect.forUpdate}`,
    ...[workId, leaseKey],
  );
  if (row === null) return { result: { kind: "stale" }, wake: [] };
  if (row.is_ordered === 1) yield* lockOrder(session, row.target);
  const held = decodeIndexes(row.element_indexes);
  const plan = planSettlement(held, outcomes);
  yield* placeWork(session, row, plan);
  yield* buryDead(session, row, plan.dead, wallMs);
  const gone = [...plan.delivered, ...plan.dead.map(({ index }) => index)];
  if (row.is_ordered === 1 && gone.length > 0) {
    yield* leaveLine(session, row.batch_seq, row.target, gone);
  }
  yield* book(session, row.channel, row.target, {
    delivered: plan.delivered.length,
    dead: plan.dead.length,
    pending: -gone.length,
  });
  if (gone.length === held.length) yield* finishIfDone(session, row.batch_seq);
  const isMore = row.is_ordered === 1 || plan.retries.length > 0 || plan.returned.length > 0;
  return {
    result: { kind: "settled", remaining: plan.remaining.length, ignored: plan.ignored },
    wake: isMore ? [row.target] : [],
  };
}

/** The row keeps what is still leased; what is to be tried again gets rows of its own, the first of them this one if it is free. */
function* placeWork({ nowMs }: Session, row: WorkRow, plan: Settlement): Operation<void> {
  const again = [
    ...plan.retries.map(({ indexes, notBeforeMs, reason }) => ({
      ...FREE,
      ...{ indexes, due_at_ms: notBeforeMs, reason, attempt: row.attempt + 1, suspect: 0 },
    })),
    {
      ...FREE,
      ...{ indexes: plan.returned, due_at_ms: nowMs, reason: row.reason },
      ...{ attempt: row.attempt, suspect: row.suspect },
    },
  ].filter(({ indexes }) => indexes.length > 0);
  const kept = plan.remaining.length > 0 ? { ...row, indexes: plan.remaining } : again.shift();
  if (kept === undefined) yield* run("DELETE FROM {work} WHERE id = $1", row.id);
  else yield* reduceWork(row.id, kept.indexes, kept);
  for (const work of again) yield* addWork({ ...row, ...work });
}

function* buryDead(
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
  const grave = {
    ...{ batchSeq, channel, target, diedAtMs: wallMs },
    acceptedAtMs: stored?.accepted_at_ms ?? wallMs,
  };
  const elements = readableElements(stored?.elements);
  const unsent = dead.filter(({ isUnsent }) => isUnsent);
  const sent = dead.filter(({ isUnsent }) => !isUnsent);
  yield* bury(session, { ...grave, attempts: attempt + 1 }, elements, sent);
  yield* bury(session, { ...grave, attempts: attempt }, elements, unsent);
}
