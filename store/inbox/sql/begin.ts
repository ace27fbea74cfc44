import { first, type Operation, type Session } from "../../sql/query.ts";
import type { LeaseKey } from "../ids.ts";
import { decodeIndexes, encodeIndexes } from "../index-set.ts";
import { addWork, holders, reduceWork, type WorkRow } from "./rows/work-rows.ts";

export interface Beginning extends LeaseKey {
  readonly indexes: readonly number[];
}

/** Notes calls on the rows of their leases; false for a lease that is over. */
export function* begin(_session: Session, calls: readonly Beginning[]): Operation<readonly boolean[]> {
  const held = new Map<Beginning, boolean>();
  // A fixed order, so that two transactions can't wait for each other.
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
 * Work whose lease ended unsettled, as work that is to be leased: what had begun has
 * one attempt more and no reason, the rest was never sent. Two rows when it is of both kinds.
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

/** The elements whose call has begun. One that can't be read is taken for begun. */
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
