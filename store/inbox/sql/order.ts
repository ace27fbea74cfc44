import { all, insertAll, type Operation, run, type Session } from "../../sql/query.ts";
import type { BatchElement } from "../batch.ts";
import { orderKey } from "../stored-batch.ts";

/**
 * Order of the messages of one push id to one target: every unsettled element of
 * an ordered route has a row, and only the first of its push id may be leased.
 * Work without a first is parked, so that a long line behind a failing message
 * isn't looked through again and again; a settlement wakes what is next.
 */

/** The `due_at_ms` of parked work. */
export const PARKED_MS = Number.MAX_SAFE_INTEGER;

/**
 * Serialises accept, lease and settle of an ordered target. Otherwise positions
 * could become visible in another order than they were given, and a settlement
 * could miss work that is being parked.
 */
export function* lockOrder({ dialect }: Session, target: string): Operation<void> {
  if (dialect.lockName !== null) yield* run(dialect.lockName, `engage order ${target}`);
}

/** Puts elements at the end of their lines. */
export function* lineUp(
  batchSeq: number,
  target: string,
  elements: readonly Pick<BatchElement, "index" | "pushId">[],
): Operation<void> {
  yield* insertAll(
    "INSERT INTO {line} (target, push_key, batch_seq, element_index)",
    elements.map(({ index, pushId }) => [target, orderKey(pushId), batchSeq, index]),
  );
}

/** Indexes of a batch's elements that nothing is before. */
export function* firstInLine(batchSeq: number, target: string): Operation<ReadonlySet<number>> {
  const rows = yield* all<{ element_index: number }>(
    `SELECT element_index FROM {line} mine
     WHERE batch_seq = $1 AND target = $2 AND NOT EXISTS (
       SELECT 1 FROM {line} other WHERE other.target = mine.target
         AND other.push_key = mine.push_key AND other.position < mine.position)`,
    ...[batchSeq, target],
  );
  return new Set(rows.map((row) => row.element_index));
}

/** Takes settled elements out of their lines and makes the work behind them leasable. */
export function* leaveLine(
  { nowMs, dialect }: Session,
  batchSeq: number,
  target: string,
  indexes: readonly number[],
): Operation<void> {
  const isSettled = (alias: string): string =>
    `${alias}.batch_seq = $1 AND ${alias}.target = $2
     AND ${alias}.element_index IN ${dialect.integersOf("$3")}`;
  const params = [batchSeq, target, JSON.stringify(indexes)];
  const next = yield* all<{ batch_seq: number }>(
    `SELECT DISTINCT behind.batch_seq FROM {line} mine
     JOIN {line} behind ON behind.target = mine.target AND behind.push_key = mine.push_key
     WHERE ${isSettled("mine")} AND behind.position = (
       SELECT MIN(later.position) FROM {line} later WHERE later.target = mine.target
         AND later.push_key = mine.push_key AND later.position > mine.position)`,
    ...params,
  );
  yield* run(`DELETE FROM {line} AS mine WHERE ${isSettled("mine")}`, ...params);
  if (next.length === 0) return;
  yield* run(
    `UPDATE {work} SET due_at_ms = $1
     WHERE target = $2 AND due_at_ms = ${PARKED_MS} AND batch_seq IN ${dialect.integersOf("$3")}`,
    ...[nowMs, target, JSON.stringify(next.map((row) => row.batch_seq))],
  );
}
