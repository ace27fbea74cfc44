import { all, insertAll, type Operation, run, type Session } from "../../sql/query.ts";
import type { BatchElement } from "../batch.ts";
import { orderKey } from "../stored-batch.ts";

/**
 * Keeps the order of the messages of one push id to one target. Every unsettled element of an ordered
 * route has a row in `{line}`, and only the first of its push id may be leased. Work without a first
 * element is parked, so that a long queue after a failing message is not read again and again; a
 * settlement makes the next work due.
 */

/** The `due_at_ms` of parked work. */
export const parkedMs = Number.MAX_SAFE_INTEGER;

/**
 * Serializes lease and settle of an ordered target. Otherwise a settlement could miss work which is
 * being parked. `accept` needs no lock: work which becomes visible with a smaller position than an
 * element in flight waits for that element.
 */
export function* lockOrder({ dialect }: Session, target: string): Operation<void> {
  if (dialect.lockName !== null) yield* run(dialect.lockName, `engage order ${target}`);
}

/** Adds elements to the ends of their queues. */
export function* enqueue(
  batchSeq: number,
  target: string,
  elements: readonly Pick<BatchElement, "index" | "pushId">[],
): Operation<void> {
  yield* insertAll(
    "INSERT INTO {line} (target, push_key, batch_seq, element_index)",
    elements.map(({ index, pushId }) => [target, orderKey(pushId), batchSeq, index]),
  );
}

/** An element which may be delivered now. */
export interface FirstRow {
  readonly position: number;
  readonly batch_seq: number;
  readonly element_index: number;
}

/**
 * Returns the elements of the batches that are the first of their push id: those in flight, or those before all others.
 */
export function* firstInQueue(
  { dialect }: Session,
  target: string,
  batchSeqs: readonly number[],
): Operation<readonly FirstRow[]> {
  const others = `SELECT 1 FROM {line} other WHERE other.target = mine.target
    AND other.push_key = mine.push_key`;
  return yield* all<FirstRow>(
    `SELECT position, batch_seq, element_index FROM {line} mine
     WHERE target = $1 AND batch_seq IN ${dialect.integersOf("$2")} AND (in_flight = 1 OR (
       NOT EXISTS (${others} AND other.position < mine.position)
       AND NOT EXISTS (${others} AND other.in_flight = 1)))`,
    target,
    JSON.stringify(batchSeqs),
  );
}

/** Keeps elements first until they have left their queues. */
export function* markInFlight({ dialect }: Session, positions: readonly number[]): Operation<void> {
  if (positions.length === 0) return;
  yield* run(
    `UPDATE {line} SET in_flight = 1 WHERE in_flight = 0 AND position IN ${dialect.integersOf("$1")}`,
    JSON.stringify(positions),
  );
}

/** Settled elements of a batch. */
export interface SettledElements {
  readonly batchSeq: number;
  readonly indexes: readonly number[];
}

/** Removes settled elements from their queues and makes the next work leasable. */
export function* dequeue(
  { nowMs, dialect }: Session,
  target: string,
  settledElements: readonly SettledElements[],
): Operation<void> {
  const settled = new Map(settledElements.map(({ batchSeq, indexes }) => [batchSeq, new Set(indexes)]));
  const rows = yield* all<FirstRow>(
    `SELECT position, batch_seq, element_index FROM {line}
     WHERE target = $1 AND batch_seq IN ${dialect.integersOf("$2")}`,
    target,
    JSON.stringify([...settled.keys()]),
  );
  const settledRows = rows.filter((row) => settled.get(row.batch_seq)?.has(row.element_index));
  const positions = JSON.stringify(settledRows.map((row) => row.position));
  const next = yield* all<{ batch_seq: number }>(
    `SELECT DISTINCT following.batch_seq FROM {line} mine
     JOIN {line} following ON following.target = mine.target AND following.push_key = mine.push_key
     WHERE mine.position IN ${dialect.integersOf("$1")} AND following.position = (
       SELECT later.position FROM {line} later WHERE later.target = mine.target
         AND later.push_key = mine.push_key AND later.position NOT IN ${dialect.integersOf("$1")}
       ORDER BY later.position LIMIT 1)`,
    positions,
  );
  yield* run(`DELETE FROM {line} WHERE position IN ${dialect.integersOf("$1")}`, positions);
  if (next.length === 0) return;
  yield* run(
    `UPDATE {work} SET due_at_ms = $1
     WHERE target = $2 AND due_at_ms = ${parkedMs} AND batch_seq IN ${dialect.integersOf("$3")}`,
    nowMs,
    target,
    JSON.stringify(next.map((row) => row.batch_seq)),
  );
}

/** Parks work in which no element is the first of its push id, until a settlement. */
export function* parkWork({ dialect }: Session, ids: readonly number[]): Operation<void> {
  if (ids.length === 0) return;
  yield* run(
    `UPDATE {work} SET due_at_ms = ${parkedMs} WHERE id IN ${dialect.integersOf("$1")}`,
    JSON.stringify(ids),
  );
}
