import { dayMs } from "../../../../base/time/units.ts";
import { type EventSelection, TooManyEventsError } from "../../events.ts";
import type { EventUse } from "../../names.ts";
import { eventsRelation, type ProjectTables } from "../layout.ts";
import { nextVersion } from "../load/load.ts";
import type { Snapshot } from "../query/query.ts";
import type { Writer } from "../writer.ts";
import { withProject } from "./compact.ts";
import { deleteEventRows } from "./delete-rows.ts";

/** Counts the selected events of each name that has any. */
export async function countSelected(
  snapshot: Snapshot,
  selection: EventSelection,
): Promise<readonly EventUse[]> {
  const project = snapshot.tables.projects.get(selection.projectId);
  if (project === undefined) return [];
  const { startMs, endMs } = selection;
  const events = numbersOf(project, selection);
  const relation = eventsRelation(project, {
    startMs,
    endMs,
    events,
    columns: ["event", "user_id"],
    properties: [],
  });
  const where = userCondition(selection);
  const rows = await snapshot.rows<[number, bigint]>(
    `SELECT event, count(*) FROM ${relation}${where === "" ? "" : ` WHERE ${where}`} GROUP BY event ORDER BY event`,
  );
  const names = new Map([...project.schema.events.values()].map(({ name, number }) => [number, name]));
  return rows.map(([number, count]) => ({ name: names.get(number)!, records: Number(count) }));
}

/**
 * Deletes the selected events in one transaction; the file shrinks at the checkpoint which follows and when days are
 * compacted.
 * @throws TooManyEventsError
 */
export async function deleteSelected(
  writer: Writer,
  selection: EventSelection,
  maxEvents: number,
): Promise<number> {
  const { projectId } = selection;
  const deleted = await writer.write(async (session, tables) => {
    const project = tables.projects.get(projectId);
    const events = project && numbersOf(project, selection);
    if (project === undefined || events?.length === 0) return { result: 0 };
    const { project: smaller, records } = await deleteEventRows(session, project, async (table, day) => {
      const conditions = conditionsOf(selection, events, day);
      if (conditions === undefined) return 0;
      const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
      const [[count] = []] = await session.rows<[bigint]>(`DELETE FROM ${table}${where}`);
      return Number(count);
    });
    if (records > maxEvents) throw new TooManyEventsError(records, maxEvents);
    if (records === 0) return { result: 0 };
    const schema = { ...project.schema, version: await nextVersion(session, project, projectId) };
    const projects = withProject(tables.projects, { ...smaller, schema });
    return { tables: { ...tables, projects }, result: records };
  });
  // The events are deleted whatever happens to the file here; a later checkpoint shrinks it.
  if (deleted > 0) await writer.checkpoint().catch(() => undefined);
  return deleted;
}

/** Returns the numbers of the selected names; undefined for any. */
function numbersOf({ schema }: ProjectTables, { events }: EventSelection): readonly number[] | undefined {
  return events?.flatMap((name) => schema.events.get(name)?.number ?? []);
}

/** Returns the conditions for rows of a table; undefined when none of its rows is selected. */
function conditionsOf(
  selection: EventSelection,
  events: readonly number[] | undefined,
  day: number | undefined,
): readonly string[] | undefined {
  const { startMs, endMs } = selection;
  const from = day === undefined ? Number.NEGATIVE_INFINITY : day * dayMs;
  const to = day === undefined ? Number.POSITIVE_INFINITY : (day + 1) * dayMs;
  if (to <= startMs || from >= endMs) return undefined;
  const users = userCondition(selection);
  return [
    ...(events === undefined ? [] : [`event IN (${events.join(", ")})`]),
    ...(startMs > from ? [`time_ms >= ${BigInt(Math.ceil(startMs))}`] : []),
    ...(endMs < to ? [`time_ms < ${BigInt(Math.ceil(endMs))}`] : []),
    ...(users === "" ? [] : [users]),
  ];
}

function userCondition({ userIds }: EventSelection): string {
  if (userIds === undefined) return "";
  return userIds.length === 0 ? "false" : `user_id IN (${userIds.join(", ")})`;
}
