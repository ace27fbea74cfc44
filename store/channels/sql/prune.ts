import { all, first, type Operation, run, type Session } from "../../sql/query.ts";
import type { BatchRow } from "./batch-rows.ts";

export interface Pruned {
  readonly batches: number;
  readonly runs: number;
  readonly more: boolean;
}

/**
 * The maximum number of rows that one commit deletes: payloads take up to some 10 KB each, those of pages 200 KB, and
 * what else is stored of a page 10 KB.
 */
const maxPayloads = 500;
const maxPagePayloads = 25;
const maxPages = 100;
const maxRows = 5_000;

export function* prune(session: Session, retentionMs: number): Operation<Pruned> {
  if (yield* prunePayloads(session)) return { batches: 0, runs: 0, more: true };
  const expired = yield* first<{ seq: number; latest: number }>(
    `SELECT r.seq, (SELECT COUNT(*) FROM {tasks} t WHERE t.run_seq = r.seq) AS latest FROM {runs} r
     WHERE r.is_open = 0 AND r.ended_at_ms < $1 AND (r.is_pruned = 0
       OR NOT EXISTS (SELECT 1 FROM {tasks} t WHERE t.run_seq = r.seq)) ORDER BY r.seq LIMIT 1`,
    session.nowMs - retentionMs,
  );
  if (expired === null) return { batches: 0, runs: 0, more: false };
  // A replica of an earlier version clears `has_bodies` and leaves the payloads.
  if (!(yield* deletePayloads(expired.seq))) return { batches: 0, runs: 0, more: true };
  const pages = yield* all(deleteSome("{pages}", maxPages), expired.seq);
  if (pages.length === maxPages) return { batches: 0, runs: 0, more: true };
  const deleted = yield* all<Pick<BatchRow, "progress">>(
    deleteSome("{batches}", maxRows, "progress"),
    expired.seq,
  );
  const batches = deleted.reduce((sum, { progress }) => sum + countIn(progress), 0);
  if (deleted.length === maxRows) return { batches, runs: 0, more: true };
  if (expired.latest > 0) {
    yield* run("UPDATE {runs} SET is_pruned = 1 WHERE seq = $1", expired.seq);
    return { batches, runs: 0, more: true };
  }
  yield* run("DELETE FROM {tallies} WHERE run_seq = $1", expired.seq);
  yield* run("DELETE FROM {runs} WHERE seq = $1", expired.seq);
  return { batches, runs: 1, more: true };
}

/** Deletes payloads and bodies left by a stopped run; returns false when there is no such run. */
function* prunePayloads(_session: Session): Operation<boolean> {
  const left = yield* first<{ seq: number }>(
    "SELECT seq FROM {runs} WHERE has_bodies = 1 AND is_open = 0 ORDER BY seq LIMIT 1",
  );
  if (left === null) return false;
  if (yield* deletePayloads(left.seq))
    yield* run("UPDATE {runs} SET has_bodies = 0 WHERE seq = $1", left.seq);
  return true;
}

/** Deletes payloads and bodies of a run; returns false when more may be left. */
function* deletePayloads(runSeq: number): Operation<boolean> {
  const pages = yield* all(
    `UPDATE {pages} SET payload = NULL WHERE run_seq = $1 AND number IN (SELECT number FROM {pages}
       WHERE run_seq = $1 AND payload IS NOT NULL ORDER BY number LIMIT ${maxPagePayloads}) RETURNING number`,
    runSeq,
  );
  let isDone = pages.length < maxPagePayloads;
  for (const table of ["{payloads}", "{bodies}"]) {
    const rows = yield* all(deleteSome(table, maxPayloads), runSeq);
    isDone &&= rows.length < maxPayloads;
  }
  return isDone;
}

/** Returns the statement that deletes the first rows of a run. @param returned a column */
function deleteSome(table: string, limit: number, returned = "number"): string {
  return `DELETE FROM ${table} WHERE run_seq = $1 AND number IN (SELECT number FROM ${table}
    WHERE run_seq = $1 ORDER BY number LIMIT ${limit}) RETURNING ${returned}`;
}

/** Counts the batches of a row. Those of a page that have rows of their own are counted there. */
function countIn(progress: string | null): number {
  return progress === null ? 1 : progress.replaceAll("o", "").length;
}
