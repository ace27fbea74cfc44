import { all, first, type Operation, run, type Session } from "../../sql/query.ts";
import { expireShares } from "../../sql/shares.ts";
import { recover } from "./begin.ts";
import { leaseRows } from "./lease-rows.ts";
import { parkedMs } from "./order.ts";
import { type BrokenWork, endBrokenWork, readIndexes } from "./rows/broken-work.ts";
import { type BodyRow, bodyColumns, openBodies } from "./rows/stored-bodies.ts";
import { holders, type WorkRow, workColumns } from "./rows/work-rows.ts";
import { targetShares } from "./shares.ts";

export interface LeaseArguments {
  readonly target: string;
  readonly maxElements: number;
  readonly maxBytes: number;
  readonly leaseMs: number;
  readonly leaseKey: number;
  readonly holder: keyof typeof holders;
  /** The time of dead letters, in milliseconds since 1970. */
  readonly wallMs: number;
}

/** A work row with fields of its batch, which are null when the batch's row is missing. */
interface CandidateRow extends WorkRow {
  readonly request_id: string | null;
  readonly accepted_at_ms: number | null;
  readonly clock_ms: number | null;
  readonly trace: string | null;
}

/** Work with its decoded indexes. */
interface ReadRow extends CandidateRow {
  readonly indexes: readonly number[];
}

/** Leased work with a complete batch row. */
export interface LeasedRow extends ReadRow {
  readonly accepted_at_ms: number;
  readonly clock_ms: number;
}

export interface LeasedRows {
  readonly items: readonly LeasedRow[];
  readonly bodies: readonly BodyRow[];
  readonly untilMs: number;
  readonly nextDueAtMs: number | null;
  /** The number of elements which became dead letters because their stored data is damaged. */
  readonly damaged: number;
}

/**
 * The number of rows read first, which then doubles. Small, because another replica skips the rows that
 * are being read.
 */
const firstLimit = 8;
const lastLimit = 512;

export function* lease(session: Session, leasing: LeaseArguments): Operation<LeasedRows> {
  const { maxElements, maxBytes } = leasing;
  const untilMs = session.nowMs + leasing.leaseMs;
  const items: ReadRow[] = [];
  let [elements, bytes, damaged] = [0, 0, 0];
  for (let limit = firstLimit; elements < maxElements && bytes < maxBytes; limit *= 2) {
    const due = yield* findDue(session, leasing.target, Math.min(limit, lastLimit));
    const found = yield* readRows(session, due, leasing.wallMs);
    damaged += found.damaged;
    const limits = { elements: maxElements - elements, bytes: maxBytes - bytes };
    const taken = yield* leaseRows(session, found.rows, limits, { ...leasing, untilMs });
    items.push(...taken);
    elements += sum(taken.map(({ indexes }) => indexes.length));
    bytes += sum(taken.map((row) => row.body_bytes));
    if (due.length < Math.min(limit, lastLimit)) break;
  }
  const readable = yield* readBodies(session, items, leasing.wallMs);
  damaged += readable.damaged;
  if (readable.items.length > 0) return { ...readable, untilMs, nextDueAtMs: null, damaged };
  // Work after a damaged item may be leasable at once.
  const nextDueAtMs = damaged > 0 ? session.nowMs : yield* findNextDue(leasing.target);
  return { items: [], bodies: [], untilMs, nextDueAtMs, damaged };
}

export function* extend(
  { nowMs }: Session,
  lease: { readonly workId: number; readonly leaseKey: number },
  leaseMs: number,
): Operation<number | null> {
  const untilMs = nowMs + leaseMs;
  const row = yield* first<{ id: number }>(
    "UPDATE {work} SET due_at_ms = $1 WHERE id = $2 AND lease_key = $3 AND leased > 0 RETURNING id",
    untilMs,
    lease.workId,
    lease.leaseKey,
  );
  return row === null ? null : untilMs;
}

/** Ends the leases of the process that had the file before; leases of consumers elsewhere continue. */
export function* expireLeases({ nowMs }: Session): Operation<void> {
  yield* expireShares(targetShares, nowMs);
  yield* run(
    `UPDATE {work} SET due_at_ms = $1 WHERE leased = ${holders.process} AND due_at_ms > $1
       AND due_at_ms < ${parkedMs}`,
    nowMs,
  );
}

function* findDue(session: Session, target: string, limit: number): Operation<readonly CandidateRow[]> {
  return yield* all<CandidateRow>(
    `SELECT ${workColumns}, b.request_id, b.accepted_at_ms, b.clock_ms, b.trace
     FROM {work} w LEFT JOIN {batches} b ON b.seq = w.batch_seq
     WHERE w.target = $1 AND w.due_at_ms <= $2
     ORDER BY w.due_at_ms, w.id LIMIT $3 ${session.dialect.skipLocked("w")}`,
    target,
    session.nowMs,
    limit,
  );
}

function* findNextDue(target: string): Operation<number | null> {
  const row = yield* first<{ due: number | null }>(
    "SELECT MIN(due_at_ms) AS due FROM {work} WHERE target = $1",
    target,
  );
  const due = row?.due ?? parkedMs;
  return due === parkedMs ? null : due;
}

/** Decodes the indexes of rows; rows which can't be decoded become dead letters. */
function* readRows(
  session: Session,
  due: readonly CandidateRow[],
  wallMs: number,
): Operation<{ readonly rows: readonly ReadRow[]; readonly damaged: number }> {
  const rows: ReadRow[] = [];
  let damaged = 0;
  for (const row of due) {
    const indexes = readIndexes(row);
    if (indexes !== undefined) {
      for (const one of yield* recover(row, indexes)) rows.push({ ...one, indexes: readIndexes(one)! });
      continue;
    }
    damaged += row.element_count;
    const reason = "damaged: the stored list of what is to be delivered can't be read";
    const broken = { row, indexes, reason, body: undefined, acceptedAtMs: row.accepted_at_ms };
    yield* endBrokenWork(session, broken, wallMs);
  }
  return { rows, damaged };
}

interface ReadBodies {
  readonly items: readonly LeasedRow[];
  readonly bodies: readonly BodyRow[];
  readonly damaged: number;
}

/** Reads the bodies of leased items; an item with a damaged body becomes dead letters. */
function* readBodies(session: Session, taken: readonly ReadRow[], wallMs: number): Operation<ReadBodies> {
  if (taken.length === 0) return { items: [], bodies: [], damaged: 0 };
  const bodies = yield* all<BodyRow>(
    `SELECT ${bodyColumns} FROM {bodies} WHERE batch_seq IN ${session.dialect.integersOf("$1")}`,
    JSON.stringify([...new Set(taken.map((row) => row.batch_seq))]),
  );
  const bySeq = new Map(bodies.map((body) => [body.batch_seq, body]));
  const { damageOf, bodyOf } = openBodies(bodies);
  const items: LeasedRow[] = [];
  const broken: BrokenWork[] = [];
  for (const row of taken) {
    const { indexes, batch_seq: seq, accepted_at_ms: acceptedAtMs } = row;
    const reason = isWhole(row)
      ? damageOf(seq, indexes)
      : "damaged: the stored row of its batch is missing or broken";
    if (isWhole(row) && reason === null) items.push(row);
    else broken.push({ row, indexes, reason: reason ?? "", body: bySeq.get(seq), acceptedAtMs });
  }
  for (const one of broken) yield* endBrokenWork(session, one, wallMs);
  const used = new Set(items.map((row) => row.batch_seq));
  return {
    items,
    bodies: bodies
      .filter((row) => used.has(row.batch_seq))
      .map((row) => ({ ...row, body: bodyOf(row.batch_seq) })),
    damaged: sum(broken.map(({ indexes }) => indexes!.length)),
  };
}

function isWhole(row: ReadRow): row is LeasedRow {
  return row.accepted_at_ms !== null && row.clock_ms !== null && isText(row.request_id);
}

function isText(json: string | null): boolean {
  try {
    return json === null || typeof JSON.parse(json) === "string";
  } catch {
    return false;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
