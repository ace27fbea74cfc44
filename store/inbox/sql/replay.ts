import { all, first, type Operation, run, type Session } from "../../sql/query.ts";
import type { DeadLetterFilter, ReplayRequest, ReplayResult } from "../records.ts";
import { isOrderedRoute } from "../stored-batch.ts";
import { endAttempts } from "./attempts.ts";
import { addCounts } from "./counts.ts";
import { type DeadRow, decodeCursor, parseText, whereOf } from "./dead-letters.ts";
import { enqueue } from "./order.ts";
import { bodyBytes } from "./rows/stored-bodies.ts";
import { addWork, fresh } from "./rows/work-rows.ts";

export interface Replayed {
  readonly result: ReplayResult;
  readonly wake: readonly string[];
}

export function* replay(
  session: Session,
  filter: DeadLetterFilter,
  { nonce, dryRun = false, limit, after }: ReplayRequest,
): Operation<Replayed> {
  if (limit !== undefined) return yield* replaySome(session, filter, { nonce, dryRun, limit, after });
  const { where, params } = whereOf(filter, session.dialect);
  if (dryRun) {
    const row = yield* first<{ count: number }>(
      `SELECT COUNT(*) AS count FROM {dead} d WHERE ${where}`,
      ...params,
    );
    return { result: { count: row?.count ?? 0 }, wake: [] };
  }
  const done = yield* first<{ replayed: number }>("SELECT replayed FROM {replays} WHERE nonce = $1", nonce);
  if (done !== null) return { result: { count: done.replayed }, wake: [] };
  const rows = yield* all<DeadRow>(
    `SELECT d.id, d.batch_seq, d.element_index, d.channel, d.target, d.push_id FROM {dead} d
     WHERE ${where} ORDER BY d.target, d.batch_seq, d.element_index ${session.dialect.forUpdate}`,
    ...params,
  );
  const replayed = yield* replayRows(session, rows, nonce);
  yield* run(
    "INSERT INTO {replays} (nonce, replayed, replayed_at_ms) VALUES ($1, $2, $3)",
    nonce,
    replayed.result.count,
    session.nowMs,
  );
  return replayed;
}

interface SomeRequest {
  readonly nonce: string;
  readonly dryRun: boolean;
  readonly limit: number;
  readonly after: string | undefined;
}

/** Replays the next dead letters by their ids. */
function* replaySome(
  session: Session,
  filter: DeadLetterFilter,
  { nonce, dryRun, limit, after }: SomeRequest,
): Operation<Replayed> {
  const { where, params } = whereOf(filter, session.dialect);
  const place = after === undefined ? 0 : decodeCursor(after);
  const ids = yield* all<{ id: number }>(
    `SELECT d.id FROM {dead} d WHERE ${where} AND d.id > $${params.length + 1}
     ORDER BY d.id LIMIT $${params.length + 2}`,
    ...params,
    place,
    limit,
  );
  const next = ids.length < limit ? null : `${ids.at(-1)!.id}`;
  if (dryRun) return { result: { count: ids.length, next }, wake: [] };
  // Another replay may have taken some of them meanwhile.
  const rows = yield* all<DeadRow>(
    `SELECT d.id, d.batch_seq, d.element_index, d.channel, d.target, d.push_id FROM {dead} d
     WHERE d.id IN ${session.dialect.integersOf("$1")}
     ORDER BY d.target, d.batch_seq, d.element_index ${session.dialect.forUpdate}`,
    JSON.stringify(ids.map(({ id }) => id)),
  );
  const { result, wake } = yield* replayRows(session, rows, nonce);
  return { result: { count: result.count, next }, wake };
}

function* replayRows(session: Session, rows: readonly DeadRow[], nonce: string): Operation<Replayed> {
  const groups = Map.groupBy(rows, ({ batch_seq, target }) => `${batch_seq} ${target}`);
  let count = 0;
  for (const group of groups.values()) count += yield* replayGroup(session, group, nonce);
  return { result: { count }, wake: [...new Set(rows.map(({ target }) => target))] };
}

/** Makes dead letters of one batch and target one piece of work. */
function* replayGroup(session: Session, rows: readonly DeadRow[], nonce: string): Operation<number> {
  const { batch_seq: batchSeq, channel, target } = rows[0]!;
  const batch = yield* first<{ routes: string; body_bytes: number }>(
    `SELECT b.routes, ${bodyBytes("o.")} AS body_bytes
     FROM {batches} b JOIN {bodies} o ON o.batch_seq = b.seq WHERE b.seq = $1`,
    batchSeq,
  );
  // Without its batch there is nothing to send; the dead letter stays.
  if (batch === null) return 0;
  const isOrdered = isOrderedRoute(batch.routes, target);
  if (isOrdered) {
    const elements = rows.map((row) => ({ index: row.element_index, pushId: parseText(row.push_id) ?? "" }));
    yield* enqueue(batchSeq, target, elements);
  }
  yield* addWork({
    ...fresh,
    batch_seq: batchSeq,
    channel,
    target,
    is_ordered: isOrdered ? 1 : 0,
    replay: nonce,
    due_at_ms: session.nowMs,
    body_bytes: batch.body_bytes,
    indexes: rows.map((row) => row.element_index),
  });
  yield* run(
    `DELETE FROM {dead} WHERE id IN ${session.dialect.integersOf("$1")}`,
    JSON.stringify(rows.map(({ id }) => id)),
  );
  yield* endAttempts(batchSeq, target);
  yield* run("UPDATE {batches} SET finished_at_ms = NULL WHERE seq = $1", batchSeq);
  yield* addCounts(session, channel, target, { dead: -rows.length, pending: rows.length });
  return rows.length;
}
