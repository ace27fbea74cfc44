import { first, type Operation, run, type Session } from "../../sql/query.ts";
import type { CohortVersion } from "../events.ts";
import { endBatch, insertBatch } from "./load.ts";
import { changeProject } from "./state.ts";

/** Requests which began before a cohort was replaced may read its rows for this long. */
const keepReplacedMs = 3_600_000;

/** Begins an import; returns the number of the batch of its rows. */
export function* beginCohort({ nowMs }: Session, projectId: number): Operation<number> {
  const number = yield* insertBatch({ spool: null, token: 0, nowMs });
  yield* run(
    "INSERT INTO {batch_projects} (project, number, is_hidden) VALUES ($1, $2, 0)",
    projectId,
    number,
  );
  return number;
}

/**
 * Makes an imported version visible, instead of the version of the same day.
 * @throws BatchGivenUpError when the import has taken too long
 */
export function* completeCohort(
  { nowMs }: Session,
  number: number,
  { projectId, name, day, kind }: CohortVersion,
  members: number,
): Operation<void> {
  yield* changeProject(projectId, true);
  yield* endBatch(number);
  const replaced = yield* first<{ batch: number }>(
    "DELETE FROM {cohorts} WHERE project = $1 AND name = $2 AND day = $3 RETURNING batch",
    projectId,
    name,
    day,
  );
  yield* run(
    "INSERT INTO {cohorts} (project, name, day, kind, members, batch) VALUES ($1, $2, $3, $4, $5, $6)",
    projectId,
    name,
    day,
    kind,
    members,
    number,
  );
  if (replaced !== null) yield* deleteLater(projectId, replaced.batch, nowMs);
}

function* deleteLater(projectId: number, number: number, nowMs: number): Operation<void> {
  yield* run(
    `INSERT INTO {batches} (number, spool, token, state, begun_at_ms, delete_at_ms)
     OVERRIDING SYSTEM VALUE VALUES ($1, NULL, 0, 'replaced', $2, $3)`,
    number,
    nowMs,
    nowMs + keepReplacedMs,
  );
  yield* run(
    "INSERT INTO {batch_projects} (project, number, is_hidden) VALUES ($1, $2, 0)",
    projectId,
    number,
  );
}
