import { dayMs } from "../../../../base/time/units.ts";
import type { CompactReport } from "../../events.ts";
import { ProjectChangedError } from "../../ledger/faults.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { eventsTable, isLoaded, updatableTable } from "../layout.ts";
import type { Projects } from "../projects.ts";
import { latestEvents, sumOfShards } from "../read/stats.ts";
import { type DeleteTarget, deleteRows } from "./delete-rows.ts";

export interface RetentionSource extends DeleteTarget {
  readonly ledger: Ledger;
  readonly projects: Projects;
}

type Dropped = Omit<CompactReport, "rewrittenDays">;

/** Requests which began before days were dropped may read their rows for this long. */
export const keepForRequestsMs = 3_600_000;

/** Loads change a project all the time: the deletion is tried again this often. */
const maxTries = 10;

/**
 * Drops days which are more than the days to keep before today, and updatable events of such days.
 * Requests which begin from then on leave their rows out; the rows are deleted by a later run.
 */
export async function dropExpired(
  source: RetentionSource,
  today: number,
  keepDays: ReadonlyMap<number, number>,
  signal: AbortSignal,
): Promise<Dropped> {
  const dropped = { droppedDays: 0, droppedEvents: 0 };
  for (const [projectId, keep] of keepDays) {
    signal.throwIfAborted();
    await deleteDropped(source, projectId, signal);
    const one = await dropOfProject(source, projectId, today - keep, signal);
    dropped.droppedDays += one.droppedDays;
    dropped.droppedEvents += one.droppedEvents;
  }
  return dropped;
}

async function dropOfProject(
  { connection, ledger, projects }: RetentionSource,
  projectId: number,
  firstDay: number,
  signal: AbortSignal,
): Promise<Dropped> {
  const nothing = { droppedDays: 0, droppedEvents: 0 };
  for (let tries = 1; ; tries++) {
    const project = await projects.snapshot(projectId);
    if (project === undefined) return nothing;
    // An earlier limit would bring rows back which are not deleted yet.
    if (project.dropped !== undefined && project.dropped.beforeMs > firstDay * dayMs) return nothing;
    const days = (await ledger.call("readDays", projectId)).filter(({ day }) => day < firstDay);
    const updatable = await sumOfShards(
      connection,
      `SELECT count() FROM ${latestEvents(project)} WHERE time_ms < ${firstDay * dayMs}`,
      signal,
    );
    const events = days.reduce((sum, day) => sum + day.events, updatable);
    if (events === 0) return nothing;
    try {
      await ledger.call("dropDays", { projectId, version: project.schema.version }, firstDay);
      await projects.snapshot(projectId);
      return { droppedDays: days.length, droppedEvents: events };
    } catch (error) {
      if (!(error instanceof ProjectChangedError) || tries === maxTries) throw error;
    }
  }
}

/** Deletes the rows of events which were dropped so long ago that no request reads them any more. */
export async function deleteDropped(
  source: RetentionSource,
  projectId: number,
  signal: AbortSignal,
): Promise<void> {
  const { ledger, projects } = source;
  const dropped = await ledger.call("droppedBefore", projectId, ledger.now() - keepForRequestsMs);
  const project = await projects.snapshot(projectId);
  if (dropped === undefined || project === undefined) return;
  const { beforeMs, watermark } = dropped;
  const isDropped = `time_ms < ${beforeMs} AND batch <= ${watermark}`;
  await deleteRows(source, eventsTable(projectId), isDropped, signal);
  // All rows of an event whose latest row is dropped: an older one would count again.
  const table = updatableTable(projectId);
  const latest = `SELECT event, event_id, max((batch, time_ms)) AS last
    FROM ${table} WHERE ${isLoaded(project)} GROUP BY event, event_id`;
  const ids = `SELECT event, event_id FROM (${latest}) WHERE last.2 < ${beforeMs} AND last.1 <= ${watermark}`;
  await deleteRows(source, table, `(event, event_id) IN (${ids}) AND batch <= ${watermark}`, signal);
  await ledger.call("droppedDeleted", projectId, watermark);
}
