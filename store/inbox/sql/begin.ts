import { first, type Operation, type Session } from "../../sql/query.ts";
import type { LeaseKey } from "../ids.ts";
import { decodeIndexes, encodeIndexes } from "../index-set.ts";
import { addWork, holders, reduceWork, type WorkRow } from "./rows/work-rows.ts";

export interface BegunWork extends LeaseKey {
  readonly indexes: readonly number[];
}

/** Records calls in the rows of their leases; returns false for a lease that is over. */
export function* begin(_session: Session, calls: readonly BegunWork[]): Operation<readonly boolean[]> {
  const held = new Map<BegunWork, boolean>();
  // A fixed order prevents deadlocks of two transactions.
  for (const call of calls.toSorted((a, b) => a.workId - b.workId)) {
    const row = yield* first<{ id: number }>(
      `UPDATE {work} SET begun = CASE begun WHEN '' THEN CAST($1 AS TEXT) ELSE begun || ',' || CAST($1 AS TEXT) END
       WHERE id = $2 AND lease_key = $3 AND leased = ${holders.process} RETURNING id`,
      encodeIndexes(call.indexes),
      call.workId,
      call.leaseKey,
    );
    held.set(call, row !== null);
  }
  return calls.map((call) => held.get(call) ?? false);
}

/**
 * Prepares work whose lease ended unsettled for the next lease. Elements whose call had begun have one
 * attempt more and no reason; the others were never sent. Returns two rows when the work has elements
 * of both kinds.
 */
export function* recover<T extends WorkRow>(row: T, indexes: readonly number[]): Operation<readonly T[]> {
  if (row.leased === 0) return [row];
  const begun = begunOf(row);
  const sent = indexes.filter((index) => begun.has(index));
  const unsent = indexes.filter((index) => !begun.has(index));
  const free = { ...row, leased: 0, lease_key: 0, begun: "", suspect: 1 };
  const tried = { ...free, attempt: row.attempt + 1, reason: null };
  if (sent.length === 0 || unsent.length === 0) {
    const whole = sent.length === 0 ? free : tried;
    yield* reduceWork(row.id, indexes, whole);
    return [whole];
  }
  yield* reduceWork(row.id, unsent, free);
  const id = yield* addWork({ ...tried, indexes: sent });
  return [withIndexes({ ...tried, id }, sent), withIndexes(free, unsent)];
}

/** Returns the elements whose call has begun. A list which can't be read counts as all of them. */
export function begunOf({ begun, element_indexes: all }: WorkRow): ReadonlySet<number> {
  try {
    return new Set(decodeIndexes(begun));
  } catch {
    return new Set(decodeIndexes(all));
  }
}

function withIndexes<T extends WorkRow>(row: T, indexes: readonly number[]): T {
  return { ...row, element_indexes: encodeIndexes(indexes), element_count: indexes.length };
}
