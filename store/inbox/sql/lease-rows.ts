import { type Operation, run, type Session } from "../../sql/query.ts";
import { encodeIndexes } from "../index-set.ts";
import { firstInQueue, lockOrder, markInFlight, parkedMs, parkWork } from "./order.ts";
import { addWork, holders, reduceWork, type WorkRow } from "./rows/work-rows.ts";

/** Work with its decoded indexes. */
export interface ReadRow extends WorkRow {
  readonly indexes: readonly number[];
}

export interface LeaseTerms {
  readonly leaseKey: number;
  readonly untilMs: number;
  readonly holder: keyof typeof holders;
}

/** Leases rows up to the limits; a row which exceeds them is split. */
export function* leaseRows<T extends ReadRow>(
  session: Session,
  rows: readonly T[],
  limits: { readonly elements: number; readonly bytes: number },
  terms: LeaseTerms,
): Operation<readonly T[]> {
  const taken: T[] = [];
  const whole: number[] = [];
  const inFlight: number[] = [];
  const parked: number[] = [];
  const firsts = yield* findFirsts(session, rows);
  let { elements, bytes } = limits;
  for (const row of rows) {
    if (elements <= 0 || bytes <= 0) break;
    const own = firsts.get(row.batch_seq) ?? new Map<number, number>();
    const choice = choose(row, own, elements);
    const { wanted, rest } = choice;
    if (wanted.length === 0 && choice.isBlocked) {
      parked.push(row.id);
      continue;
    }
    const id = rest.length === 0 ? row.id : yield* split(row, choice, terms);
    if (wanted.length === 0) continue;
    if (rest.length === 0) whole.push(row.id);
    elements -= wanted.length;
    bytes -= row.body_bytes;
    if (row.is_ordered === 1) inFlight.push(...wanted.map((index) => own.get(index)!));
    taken.push({ ...row, id, indexes: wanted, element_count: wanted.length });
  }
  if (whole.length > 0) yield* leaseWhole(session, whole, terms);
  yield* markInFlight(session, inFlight);
  yield* parkWork(session, parked);
  return taken;
}

interface Choice {
  readonly wanted: readonly number[];
  readonly rest: readonly number[];
  /** Whether the rest may not be leased before a settlement. */
  readonly isBlocked: boolean;
}

/** The positions of the elements which may be delivered, by batch and index. */
type Firsts = ReadonlyMap<number, ReadonlyMap<number, number>>;

/** Finds the first elements of the ordered rows, which are of one target. */
function* findFirsts(session: Session, rows: readonly ReadRow[]): Operation<Firsts> {
  const ordered = rows.filter((row) => row.is_ordered === 1);
  const firsts = new Map<number, Map<number, number>>();
  const [first] = ordered;
  if (first === undefined) return firsts;
  yield* lockOrder(session, first.target);
  const seqs = [...new Set(ordered.map((row) => row.batch_seq))];
  for (const row of yield* firstInQueue(session, first.target, seqs)) {
    const own = firsts.get(row.batch_seq) ?? new Map<number, number>();
    own.set(row.element_index, row.position);
    firsts.set(row.batch_seq, own);
  }
  return firsts;
}

function choose(row: ReadRow, firsts: ReadonlyMap<number, number>, maxElements: number): Choice {
  const { indexes } = row;
  if (row.is_ordered === 0) {
    return { wanted: indexes.slice(0, maxElements), rest: indexes.slice(maxElements), isBlocked: false };
  }
  const wanted = indexes.filter((index) => firsts.has(index)).slice(0, maxElements);
  const isWanted = new Set(wanted);
  const rest = indexes.filter((index) => !isWanted.has(index));
  return { wanted, rest, isBlocked: !rest.some((index) => firsts.has(index)) };
}

/** Splits or parks a row which is not leased as a whole. Returns the id of the leased row. */
function* split(row: ReadRow, { wanted, rest, isBlocked }: Choice, terms: LeaseTerms): Operation<number> {
  const dueAtMs = isBlocked ? parkedMs : row.due_at_ms;
  yield* reduceWork(row.id, rest, { ...row, due_at_ms: dueAtMs, leased: 0, lease_key: 0, begun: "" });
  const isConsumer = terms.holder === "consumer";
  return yield* addWork({
    ...row,
    indexes: wanted,
    due_at_ms: terms.untilMs,
    lease_key: terms.leaseKey,
    leased: holders[terms.holder],
    begun: isConsumer ? encodeIndexes(wanted) : "",
  });
}

function* leaseWhole(
  { dialect }: Session,
  ids: readonly number[],
  { leaseKey, untilMs, holder }: LeaseTerms,
): Operation<void> {
  const begun = holder === "consumer" ? "element_indexes" : "''";
  yield* run(
    `UPDATE {work} SET leased = ${holders[holder]}, begun = ${begun}, lease_key = $1, due_at_ms = $2
     WHERE id IN ${dialect.integersOf("$3")}`,
    leaseKey,
    untilMs,
    JSON.stringify(ids),
  );
}
