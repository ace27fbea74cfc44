import { all, first, type Operation, run, type Session } from "../../../sql/query.ts";
import { decodeIndexes } from "../../index-set.ts";
import { parseRoutes } from "../../stored-batch.ts";
import { addCounts } from "../counts.ts";
import { insertDeadLetters } from "../dead-letters.ts";
import { dequeue } from "../order.ts";
import { type BodyRow, readableElements } from "./stored-bodies.ts";
import { finishIfDone, type WorkRow } from "./work-rows.ts";

/** Work which can't be delivered because of damaged rows. */
export interface BrokenWork {
  readonly row: WorkRow;
  /** Undefined when the row's list can't be read. */
  readonly indexes: readonly number[] | undefined;
  readonly reason: string;
  readonly body: BodyRow | undefined;
  /** Null when the batch's row is missing. */
  readonly acceptedAtMs: number | null;
}

/**
 * Decodes the indexes of a work row; undefined when they can't be decoded or their number differs from
 * the row's count.
 */
export function readIndexes(row: WorkRow): readonly number[] | undefined {
  try {
    const indexes = decodeIndexes(row.element_indexes);
    return indexes.length === row.element_count ? indexes : undefined;
  } catch {
    return undefined;
  }
}

/** Ends work with damaged rows: its elements become dead letters and delay nothing after them. */
export function* endBrokenWork(session: Session, broken: BrokenWork, wallMs: number): Operation<void> {
  const { row, reason, body, acceptedAtMs } = broken;
  const { batch_seq: batchSeq, channel, target, attempt: attempts } = row;
  const indexes = broken.indexes ?? (yield* guessIndexes(row));
  const item = { batchSeq, channel, target, attempts, diedAtMs: wallMs };
  yield* insertDeadLetters(
    session,
    { ...item, acceptedAtMs: acceptedAtMs ?? wallMs },
    readableElements(body?.elements),
    indexes.map((index) => ({ index, reason })),
  );
  if (row.is_ordered === 1) yield* dequeue(session, target, [{ batchSeq, indexes }]);
  yield* run("DELETE FROM {work} WHERE id = $1", row.id);
  yield* addCounts(session, channel, target, { dead: indexes.length, pending: -row.element_count });
  yield* finishIfDone(session, batchSeq);
}

/** Returns as many elements routed to the target as the row had, of those which no other row has. */
function* guessIndexes({ id, batch_seq, target, element_count: count }: WorkRow): Operation<number[]> {
  const batch = yield* first<{ routes: string }>("SELECT routes FROM {batches} WHERE seq = $1", batch_seq);
  const dead = yield* all<{ element_index: number }>(
    "SELECT element_index FROM {dead} WHERE batch_seq = $1 AND target = $2",
    batch_seq,
    target,
  );
  const others = yield* all<{ element_indexes: string }>(
    "SELECT element_indexes FROM {work} WHERE batch_seq = $1 AND target = $2 AND id <> $3",
    batch_seq,
    target,
    id,
  );
  const known = new Set([
    ...dead.map(({ element_index: index }) => index),
    ...others.flatMap(({ element_indexes: text }) => orNone(() => decodeIndexes(text))),
  ]);
  const routed = orNone(() =>
    parseRoutes(batch?.routes ?? "[]").flatMap((route) => (route.target === target ? route.indexes : [])),
  );
  const candidates = routed.length > 0 ? routed : Array.from({ length: known.size + count }, (_, at) => at);
  return candidates.filter((index) => !known.has(index)).slice(0, count);
}

function orNone(read: () => readonly number[]): readonly number[] {
  try {
    return read();
  } catch {
    return [];
  }
}
