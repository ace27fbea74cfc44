import { all, first, type Operation, run, type Session } from "../../sql/query.ts";
import { decodeIndexes } from "../index-set.ts";
import { firstInLine, lockOrder, PARKED_MS } from "./order.ts";
import { addWork, reduceWork, WORK_COLUMNS, type WorkRow } from "./work-rows.ts";

export interface Leasing {
  readonly target: string;
  readonly maxElements: number;
  readonly maxBytes: number;
  readonly leaseMs: number;
  readonly leaseKey: number;
}

interface CandidateRow extends WorkRow {
  readonly request_id: string | null;
  readonly accepted_at_ms: number;
}

/** Leased work with what makes it readable. */
export interface LeasedRow extends CandidateRow {
  readonly indexes: readonly number[];
}

export interface BodyRow {
  readonly batch_seq: number;
  readonly elements: Uint8Array;
  readonly body: Uint8Array;
}

export interface LeasedRows {
  readonly items: readonly LeasedRow[];
  readonly bodies: readonly BodyRow[];
  readonly untilMs: number;
  readonly nextDueAtMs: number | null;
}

/** Rows looked at first; few, because another replica passes over what is being looked at. Then twice as many. */
const FIRST_LIMIT = 8;
const LAST_LIMIT = 512;

export function* lease(session: Session, leasing: Leasing): Operation<LeasedRows> {
  const untilMs = session.nowMs + leasing.leaseMs;
  const items: LeasedRow[] = [];
  let elements = 0;
  let bytes = 0;
  for (let limit = FIRST_LIMIT; elements < leasing.maxElements && bytes < leasing.maxBytes; limit *= 2) {
    const rows = yield* findDue(session, leasing.target, Math.min(limit, LAST_LIMIT));
    const room = { elements: leasing.maxElements - elements, bytes: leasing.maxBytes - bytes };
    const taken = yield* takeAll(session, rows, room, { leaseKey: leasing.leaseKey, untilMs });
    items.push(...taken);
    elements += sum(taken.map(({ indexes }) => indexes.length));
    bytes += sum(taken.map((row) => row.body_bytes));
    if (rows.length < Math.min(limit, LAST_LIMIT)) break;
  }
  if (items.length === 0) {
    return { items, bodies: [], untilMs, nextDueAtMs: yield* findNextDue(leasing.target) };
  }
  const bodies = yield* all<BodyRow>(
    `SELECT batch_seq, elements, body FROM {bodies}
     WHERE batch_seq IN ${session.dialect.integersOf("$1")}`,
    JSON.stringify([...new Set(items.map((row) => row.batch_seq))]),
  );
  return { items, bodies, untilMs, nextDueAtMs: null };
}

export function* extend(
  { nowMs }: Session,
  lease: { readonly workId: number; readonly leaseKey: number },
  leaseMs: number,
): Operation<number | null> {
  const untilMs = nowMs + leaseMs;
  const row = yield* first<{ id: number }>(
    "UPDATE {work} SET due_at_ms = $1 WHERE id = $2 AND lease_key = $3 AND leased = 1 RETURNING id",
    ...[untilMs, lease.workId, lease.leaseKey],
  );
  return row === null ? null : untilMs;
}

function* findDue(session: Session, target: string, limit: number): Operation<readonly CandidateRow[]> {
  return yield* all<CandidateRow>(
    `SELECT ${WORK_COLUMNS}, b.request_id, b.accepted_at_ms
     FROM {work} w JOIN {batches} b ON b.seq = w.batch_seq
     WHERE w.target = $1 AND w.due_at_ms <= $2
     ORDER BY w.due_at_ms, w.id LIMIT $3 ${session.dialect.skipLocked("w")}`,
    ...[target, session.nowMs, limit],
  );
}

function* findNextDue(target: string): Operation<number | null> {
  const row = yield* first<{ due: number | null }>(
    "SELECT MIN(due_at_ms) AS due FROM {work} WHERE target = $1",
    target,
  );
  const due = row?.due ?? PARKED_MS;
  return due === PARKED_MS ? null : due;
}

interface Taking {
  readonly leaseKey: number;
  readonly untilMs: number;
}

function* takeAll(
  session: Session,
  rows: readonly CandidateRow[],
  room: { readonly elements: number; readonly bytes: number },
  taking: Taking,
): Operation<readonly LeasedRow[]> {
  const taken: LeasedRow[] = [];
  const whole: number[] = [];
  let { elements, bytes } = room;
  for (const row of rows) {
    if (elements <= 0 || bytes <= 0) break;
    const { wanted, rest, isBlocked } = yield* choose(session, row, elements);
    const id = yield* take(row, wanted, rest, isBlocked, taking);
    if (wanted.length === 0) continue;
    if (rest.length === 0) whole.push(row.id);
    elements -= wanted.length;
    bytes -= row.body_bytes;
    taken.push({ ...row, id, indexes: wanted, attempt: row.attempt + 1, reason: reasonAt(row) });
  }
  if (whole.length > 0) yield* leaseWhole(session, whole, taking);
  return taken;
}

interface Choice {
  readonly wanted: readonly number[];
  readonly rest: readonly number[];
  /** Nothing of the rest may be leased before a settlement. */
  readonly isBlocked: boolean;
}

function* choose(session: Session, row: CandidateRow, maxElements: number): Operation<Choice> {
  const indexes = decodeIndexes(row.element_indexes);
  if (row.is_ordered === 0) {
    return { wanted: indexes.slice(0, maxElements), rest: indexes.slice(maxElements), isBlocked: false };
  }
  yield* lockOrder(session, row.target);
  const heads = yield* firstInLine(row.batch_seq, row.target);
  const wanted = indexes.filter((index) => heads.has(index)).slice(0, maxElements);
  const isWanted = new Set(wanted);
  const rest = indexes.filter((index) => !isWanted.has(index));
  return { wanted, rest, isBlocked: !rest.some((index) => heads.has(index)) };
}

/** Splits or parks a row that is not taken as a whole. Resolves to the id of what is leased. */
function* take(
  row: CandidateRow,
  wanted: readonly number[],
  rest: readonly number[],
  isBlocked: boolean,
  { leaseKey, untilMs }: Taking,
): Operation<number> {
  if (rest.length === 0) return row.id;
  const { attempt } = row;
  const due = isBlocked ? PARKED_MS : row.due_at_ms;
  const reason = reasonAt(row);
  yield* reduceWork(row.id, rest, { attempt, due_at_ms: due, leased: 0, lease_key: 0, reason });
  return yield* addWork({
    ...row,
    ...{ indexes: wanted, attempt: attempt + 1, due_at_ms: untilMs, leased: 1, lease_key: leaseKey, reason },
  });
}

function* leaseWhole(
  { dialect }: Session,
  ids: readonly number[],
  { leaseKey, untilMs }: Taking,
): Operation<void> {
  yield* run(
    `UPDATE {work} SET attempt = attempt + 1, reason = CASE leased WHEN 1 THEN NULL ELSE reason END,
       leased = 1, lease_key = $1, due_at_ms = $2 WHERE id IN ${dialect.integersOf("$3")}`,
    ...[leaseKey, untilMs, JSON.stringify(ids)],
  );
}

/** A lease that ended leaves no reason. */
function reasonAt({ leased, reason }: WorkRow): string | null {
  return leased === 1 ? null : reason;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
