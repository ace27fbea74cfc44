import { first, type Operation, run, type Session } from "../../sql/query.ts";
import { changeProject, type DeletedRows } from "./state.ts";
import { arrayOf, lockUnchanged, subtractDays, type Unchanged } from "./upkeep.ts";

export interface DeletionBegin extends Unchanged {
  readonly rows: DeletedRows;
  /** The number of events to delete from each day. */
  readonly days: readonly (readonly [day: number, events: number])[];
}

/**
 * Hides events, whose rows are to be deleted.
 * @returns the number of the deletion
 * @throws ProjectChangedError
 */
export function* beginDeletion(_session: Session, deletion: DeletionBegin): Operation<number> {
  yield* lockUnchanged(deletion);
  const { projectId, rows, days } = deletion;
  yield* changeProject(projectId, true);
  const row = yield* first<{ number: number }>(
    `INSERT INTO {deletions} (project, watermark, hidden_batches, start_ms, end_ms, events, users)
     VALUES ($1, $2, $3::bigint[], $4, $5, $6::bigint[], $7::bigint[]) RETURNING number`,
    projectId,
    rows.watermark,
    arrayOf(rows.hiddenBatches),
    rows.startMs ?? null,
    rows.endMs ?? null,
    rows.events === undefined ? null : arrayOf(rows.events),
    rows.users === undefined ? null : arrayOf(rows.users),
  );
  yield* subtractDays(projectId, days);
  return row!.number;
}

/** Records that the rows of a deletion are gone. Requests need not leave them out any more. */
export function* deletionDone(_session: Session, projectId: number, number: number): Operation<void> {
  yield* changeProject(projectId, true);
  yield* run("DELETE FROM {deletions} WHERE project = $1 AND number = $2", projectId, number);
}
