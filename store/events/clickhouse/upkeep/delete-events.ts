import { dayMs } from "../../../../base/time/units.ts";
import { type EventSelection, TooManyEventsError } from "../../events.ts";
import { ProjectChangedError } from "../../ledger/faults.ts";
import type { DeletedRows, LedgerDeletion } from "../../ledger/state.ts";
import type { EventUse } from "../../names.ts";
import { eventsTable, isDeleted, isKept, isLoaded, updatableTable } from "../layout.ts";
import type { Project } from "../projects.ts";
import { readRows } from "../read/row-stream.ts";
import { latestEvents } from "../read/stats.ts";
import { deleteRows } from "./delete-rows.ts";
import type { RetentionSource } from "./retention.ts";

/** Loads change a project all the time: the deletion is tried again this often. */
const maxTries = 10;

/** Counts the selected events of each name that has any. */
export async function countSelected(
  source: RetentionSource,
  selection: EventSelection,
  signal: AbortSignal,
): Promise<readonly EventUse[]> {
  const project = await source.projects.snapshot(selection.projectId);
  const rows = project && rowsOf(project, selection);
  if (project === undefined || rows === undefined) return [];
  const { events } = await countRows(source, project, rows, signal);
  const names = [...project.schema.events.values()].sort((a, b) => a.number - b.number);
  return names
    .map(({ name, number }) => ({ name, records: events.get(number) ?? 0 }))
    .filter(({ records }) => records > 0);
}

/**
 * Deletes the selected events in two steps: the ledger hides them, then their rows are deleted.
 * @throws TooManyEventsError
 */
export async function deleteSelected(
  source: RetentionSource,
  selection: EventSelection,
  maxEvents: number,
): Promise<number> {
  const { projectId } = selection;
  const deleted = await hideEvents(source, selection, maxEvents);
  // The events are hidden whatever happens to their rows here; the next compaction deletes those.
  if (deleted > 0) await finishDeletions(source, projectId).catch(() => undefined);
  return deleted;
}

async function hideEvents(
  source: RetentionSource,
  selection: EventSelection,
  maxEvents: number,
): Promise<number> {
  const { ledger, projects } = source;
  const { projectId } = selection;
  for (let tries = 1; ; tries++) {
    const project = await projects.snapshot(projectId);
    const rows = project && rowsOf(project, selection);
    if (project === undefined || rows === undefined) return 0;
    const { events, days } = await countRows(source, project, rows, new AbortController().signal);
    const records = [...events.values()].reduce((sum, count) => sum + count, 0);
    if (records > maxEvents) throw new TooManyEventsError(records, maxEvents);
    if (records === 0) return 0;
    try {
      const { version } = project.schema;
      await ledger.call("beginDeletion", { projectId, version, rows, days: [...days] });
      return records;
    } catch (error) {
      if (!(error instanceof ProjectChangedError) || tries === maxTries) throw error;
    }
  }
}

/** Returns the rows of a selection which are loaded now; undefined without any. */
function rowsOf(project: Project, selection: EventSelection): DeletedRows | undefined {
  const { watermark, hiddenBatches, schema } = project;
  const { startMs, endMs, userIds: users } = selection;
  const events = selection.events?.flatMap((name) => schema.events.get(name)?.number ?? []);
  if (watermark === 0 || events?.length === 0 || users?.length === 0) return undefined;
  const limit = (ms: number): number | undefined => (Number.isFinite(ms) ? Math.ceil(ms) : undefined);
  return { watermark, hiddenBatches, startMs: limit(startMs), endMs: limit(endMs), events, users };
}

interface RowCounts {
  /** Events by their number. */
  readonly events: ReadonlyMap<number, number>;
  /** Events which never change by their day. */
  readonly days: ReadonlyMap<number, number>;
}

async function countRows(
  { connection }: RetentionSource,
  project: Project,
  rows: DeletedRows,
  signal: AbortSignal,
): Promise<RowCounts> {
  const where = `${isLoaded(project)} AND ${isKept(project)} AND ${isDeleted(rows)}`;
  const plain = `SELECT event, floor(time_ms / ${dayMs}) AS day, count()
    FROM ${eventsTable(project.projectId)} WHERE ${where} GROUP BY event, day`;
  const updatable = `SELECT event, 0, count() FROM ${latestEvents(project)} WHERE ${isDeleted(rows)} GROUP BY event`;
  const events = new Map<number, number>();
  const days = new Map<number, number>();
  const add = (to: Map<number, number>, key: number, count: number): void => {
    to.set(key, (to.get(key) ?? 0) + count);
  };
  for (const [sql, hasDays] of [[plain, true] as const, [updatable, false] as const]) {
    const parts = await connection.onEach(
      (shard, ended) => readRows<[number, number, string]>(connection, shard, { sql, signal: ended }),
      signal,
    );
    for (const [event, day, count] of parts.flat()) {
      add(events, event, Number(count));
      if (hasDays) add(days, day, Number(count));
    }
  }
  return { events, days };
}

/** Deletes the rows of hidden events. May be repeated. */
export async function finishDeletions(source: RetentionSource, projectId: number): Promise<void> {
  const { ledger, projects } = source;
  const project = await projects.snapshot(projectId);
  for (const deletion of project?.deletions ?? []) {
    await deleteEventRows(source, projectId, deletion);
    await ledger.call("deletionDone", projectId, deletion.number);
  }
  if (project !== undefined && project.deletions.length > 0) await projects.snapshot(projectId);
}

async function deleteEventRows(
  source: RetentionSource,
  projectId: number,
  rows: LedgerDeletion,
): Promise<void> {
  await deleteRows(source, eventsTable(projectId), isDeleted(rows));
  // All rows of an event whose latest row is deleted: an older one would count again.
  const table = updatableTable(projectId);
  const last = "max((batch, time_ms, user_id)) AS last";
  const latest = `SELECT event, event_id, ${last} FROM ${table} WHERE ${isLoaded(rows)} GROUP BY event, event_id`;
  const columns = `SELECT event, event_id, last.1 AS batch, last.2 AS time_ms, last.3 AS user_id FROM (${latest})`;
  const ids = `SELECT event, event_id FROM (${columns}) WHERE ${isDeleted(rows)}`;
  await deleteRows(source, table, `(event, event_id) IN (${ids}) AND ${isLoaded(rows)}`);
}
