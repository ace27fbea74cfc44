import { dayMs } from "../../../../base/time/units.ts";
import type { CompactReport } from "../../events.ts";
import type { ProjectTables } from "../layout.ts";
import { nextVersion } from "../load/load.ts";
import type { Session } from "../session.ts";
import type { Writer } from "../writer.ts";

type Dropped = Omit<CompactReport, "rewrittenDays">;

/**
 * Drops days which are more than the days to keep before today, and updatable events of such days, in
 * one transaction per project.
 */
export async function dropExpired(
  writer: Writer,
  today: number,
  keepDays: ReadonlyMap<number, number>,
  signal: AbortSignal,
): Promise<Dropped> {
  const dropped = { droppedDays: 0, droppedEvents: 0 };
  for (const [projectId, keep] of keepDays) {
    const one = await dropOfProject(writer, projectId, today - keep, signal);
    dropped.droppedDays += one.droppedDays;
    dropped.droppedEvents += one.droppedEvents;
  }
  return dropped;
}

function dropOfProject(
  writer: Writer,
  projectId: number,
  firstDay: number,
  signal: AbortSignal,
): Promise<Dropped> {
  return writer.write(async (session, tables) => {
    const project = tables.projects.get(projectId);
    if (project === undefined) return { result: { droppedDays: 0, droppedEvents: 0 } };
    const expired = [...project.days].filter(([day]) => day < firstDay);
    for (const [, { table }] of expired) await session.run(`DROP TABLE ${table}`);
    await session.run(`DELETE FROM days WHERE project = ${projectId} AND day < ${firstDay}`);
    const updatable = await deleteUpdatable(session, project, firstDay);
    const events = expired.reduce((sum, [, day]) => sum + day.events, updatable);
    const result = { droppedDays: expired.length, droppedEvents: events };
    if (events === 0) return { result };
    const schema = { ...project.schema, version: await nextVersion(session, project, projectId) };
    const days = new Map([...project.days].filter(([day]) => day >= firstDay));
    const projects = new Map(tables.projects).set(projectId, { ...project, schema, days });
    return { tables: { ...tables, projects }, result };
  }, signal);
}

async function deleteUpdatable(
  session: Session,
  { updatable }: ProjectTables,
  firstDay: number,
): Promise<number> {
  if (updatable === undefined) return 0;
  const [[count] = []] = await session.rows<[bigint]>(
    `DELETE FROM ${updatable.table} WHERE time_ms < ${firstDay * dayMs}`,
  );
  return Number(count);
}
