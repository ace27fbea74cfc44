import { all, first, type Operation, run, type Session } from "../../../sql/query.ts";
import { decodeIndexes } from "../../index-set.ts";
import { book } from "../books.ts";
import { bury } from "../dead-letters.ts";
import { leaveLine } from "../order.ts";
import { parseRoutes } from "./routes.ts";
import { type BodyRow, readableElements } from "./stored-bodies.ts";
import { finishIfDone, type WorkRow } from "./work-rows.ts";

export interface BrokenWork {
  readonly row: WorkRow;
  /** Undefined where the row doesn't tell. */
  readonly indexes: readonly number[] | undefined;
  readonly reason: string;
  readonly body: BodyRow | undefined;
  /** Null when the row of the batch is missing. */
  readonly acceptedAtMs: number | null;
}

/** The indexes of a work row; undefined when they can't be read or are not as many as the row says. */
export function readIndexes(row: WorkRow): readonly number[] | undefined {
  try {
    const indexes = decodeIndexes(row.element_indexes);
    return indexes.length === row.element_count ? indexes : undefined;
  } catch {
    return undefined;
  }
}

/** Ends work whose rows are damaged: its elements become dead letters, and hold up nothing behind them. */
export function* buryBroken(session: Session, broken: BrokenWork, wallMs: number): Operation<void> {
  const { row, reason, body, acceptedAtMs } = broken;
  const { batch_seq: batchSeq, channel, target, attempt: attempts } = row;
  const indexes = broken.indexes ?? (yield* guessIndexes(row));
  const grave = { batchSeq, channel, target, attempts, diedAtMs: wallMs };
  yield* bury(
    session,
    { ...grave, acceptedAtMs: acceptedAtMs ?? wallMs },
    readableElements(body?.elements),
    indexes.map((index) => ({ index, reason })),
  );
  if (row.is_ordered === 1) yield* leaveLine(session, target, [{ batchSeq, indexes }]);
  yield* run("DELETE FROM {work} WHERE id = $1", row.id);
  yield* book(session, channel, target, { dead: indexes.length, pending: -row.element_count });
  yield* finishIfDone(session, batchSeq);
}

/** As many of the elements that went to the target as the row had, and are not accounted for otherwise. */
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
