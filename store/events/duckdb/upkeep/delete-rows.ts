import type { DayTable, ProjectTables } from "../layout.ts";
import type { Session } from "../session.ts";

export interface DeletedRows {
  readonly project: ProjectTables;
  /** The number of deleted events. */
  readonly records: number;
}

/**
 * Deletes events from the tables of a project, and drops days without events.
 * @param deleteFrom deletes rows of a table, and returns their number
 */
export async function deleteEventRows(
  session: Session,
  project: ProjectTables,
  deleteFrom: (table: string, day: number | undefined) => Promise<number>,
): Promise<DeletedRows> {
  const days = new Map(project.days);
  let records = 0;
  for (const [day, table] of project.days) {
    const deleted = await deleteFrom(table.table, day);
    if (deleted === 0) continue;
    records += deleted;
    const left = await recordDay(session, project.projectId, day, table, deleted);
    if (left === undefined) days.delete(day);
    else days.set(day, left);
  }
  if (project.updatable !== undefined) records += await deleteFrom(project.updatable.table, undefined);
  return { project: { ...project, days }, records };
}

async function recordDay(
  session: Session,
  projectId: number,
  day: number,
  table: DayTable,
  deleted: number,
): Promise<DayTable | undefined> {
  const events = table.events - deleted;
  const at = `project = ${projectId} AND day = ${day}`;
  if (events > 0) {
    await session.run(`UPDATE days SET events = ${events} WHERE ${at}`);
    return { ...table, events };
  }
  await session.run(`DROP TABLE ${table.table}; DELETE FROM days WHERE ${at}`);
  return undefined;
}
