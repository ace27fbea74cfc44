import { all, first, type Operation, run, type Session } from "../../sql/query.ts";

/** A batch whose rows are to be deleted from the tables of its projects. */
export interface GarbageBatch {
  readonly number: number;
  readonly projects: readonly number[];
}

/** What was inserted too late is deleted by a second deletion, this long after the first one. */
const againMs = 86_400_000;
const deletions = 2;
/** A cohort which is still being imported after this time has lost its importer. */
const maxImportMs = 86_400_000;

/** Returns some batches whose rows can be deleted now. */
export function* garbageBatches({ nowMs }: Session, limit: number): Operation<readonly GarbageBatch[]> {
  yield* run(
    `UPDATE {batches} SET state = 'void', delete_at_ms = $1
     WHERE spool IS NULL AND state = 'open' AND begun_at_ms < $2`,
    nowMs,
    nowMs - maxImportMs,
  );
  return yield* all<{ number: number; projects: readonly number[] }>(
    `SELECT b.number, coalesce(json_agg(p.project) FILTER (WHERE p.project IS NOT NULL), '[]') AS projects
     FROM (SELECT number FROM {batches} WHERE delete_at_ms <= $1 ORDER BY delete_at_ms LIMIT $2) b
     LEFT JOIN {batch_projects} p ON p.number = b.number GROUP BY b.number ORDER BY b.number`,
    nowMs,
    limit,
  );
}

/**
 * Records that the rows of a batch were deleted; the batch is forgotten after the last deletion. Counts
 * once when several processes have deleted the rows at the same time.
 */
export function* garbageDeleted({ nowMs }: Session, number: number): Operation<void> {
  yield* run(
    "DELETE FROM {batches} WHERE number = $1 AND deletions >= $2 AND delete_at_ms <= $3",
    number,
    deletions - 1,
    nowMs,
  );
  yield* run(
    "UPDATE {batches} SET deletions = deletions + 1, delete_at_ms = $2 WHERE number = $1 AND delete_at_ms <= $3",
    number,
    nowMs + againMs,
    nowMs,
  );
}

/** Returns the watermark of a project at a time, or the last one before that is known; undefined if none is. */
export function* watermarkAt(
  _session: Session,
  projectId: number,
  atMs: number,
): Operation<number | undefined> {
  const row = yield* first<{ watermark: number }>(
    "SELECT watermark FROM {marks} WHERE project = $1 AND at_ms <= $2 ORDER BY at_ms DESC LIMIT 1",
    projectId,
    atMs,
  );
  return row?.watermark;
}
