import { type Operation, run, type Session } from "../../sql/query.ts";
import { encodeIndexes } from "../index-set.ts";
import { firstInLine, lockOrder, markInFlight, parkedMs, parkWork } from "./order.ts";
import { addWork, holders, reduceWork, type WorkRow } from "./rows/work-rows.ts";

/** Work with its indexes read. */
export interface ReadRow extends WorkRow {
  readonly indexes: readonly number[];
}

export interface Taking {
  readonly leaseKey: number;
  readonly untilMs: number;
  readonly holder: keyof typeof holders;
}

/** Leases rows as far as there is room; a row that is larger is split. */
export function* takeAll<T extends ReadRow>(
  session: Session,
  rows: readonly T[],
  room: { readonly elements: number; readonly bytes: number },
  taking: Taking,
): Operation<readonly T[]> {
  const taken: T[] = [];
  const whole: number[] = [];
  const inFlight: number[] = [];
  const parked: number[] = [];
  const firsts = yield* findFirsts(session, rows);
  let { elements, bytes } = room;
  for (const row of rows) {
    if (elements <= 0 || bytes <= 0) break;
    const own = firsts.get(row.batch_seq) ?? new Map<number, number>();
    const choice = choose(row, own, elements);
    const { wanted, rest } = choice;
    if (wanted.length === 0 && choice.isBlocked) {
      parked.push(row.id);
      continue;
    }
    const id = rest.length === 0 ? row.id : yield* split(row, choice, taking);
    if (wanted.length === 0) continue;
    if (rest.length === 0) whole.push(row.id);
    elements -= wanted.length;
    bytes -= row.body_bytes;
    if (row.is_ordered === 1) inFlight.push(...wanted.map((index) => own.get(index)!));
    taken.push({ ...row, id, indexes: wanted, element_count: wanted.length });
  }
  if (whole.length > 0) yield* leaseWhole(session, whole, taking);
  yield* markInFlight(session, inFlight);
  yield* parkWork(session, parked);
  return taken;
}

interface Choice {
  readonly wanted: readonly number[];
  readonly rest: readonly number[];
  /** Nothing of the rest may be leased before a settlement. */
  readonly isBlocked: boolean;
}

/** Positions of the elements that may be delivered, by batch and index. */
type Firsts = ReadonlyMap<number, ReadonlyMap<number, number>>;

/** Of the rows that are ordered, which are of one target. */
function* findFirsts(session: Session, rows: readonly ReadRow[]): Operation<Firsts> {
  const ordered = rows.filter((row) => row.is_ordered === 1);
  const firsts = new Map<number, Map<number, number>>();
  const [first] = ordered;
  if (first === undefined) return firsts;
  yield* lockOrder(session, first.target);
  const seqs = [...new Set(ordered.map((row) => row.batch_seq))];
  for (const row of yield* firstInLine(session, first.target, seqs)) {
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

/** Splits or parks a row that is not taken as a whole. Resolves to the id of what is leased. */
function* split(row: ReadRow, { wanted, rest, isBlocked }: Choice, taking: Taking): Operation<number> {
  const dueAtMs = isBlocked ? parkedMs : row.due_at_ms;
  yield* reduceWork(row.id, rest, { ...row, due_at_ms: dueAtMs, leased: 0, lease_key: 0, begun: "" });
  const isConsumer = taking.holder === "consumer";
  return yield* addWork({
    ...row,
    indexes: wanted,
    due_at_ms: taking.untilMs,
    lease_key: taking.leaseKey,
    leased: holders[taking.holder],
    begun: isConsumer ? encodeIndexes(wanted) : "",
  });
}

function* leaseWhole(
  { dialect }: Session,
  ids: readonly number[],
  { leaseKey, untilMs, holder }: Taking,
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
