import { dayMs } from "../../../../base/time/units.ts";
import { type CompactOptions, type CompactReport, EventsMemoryError } from "../../events.ts";
import type { Database } from "../database.ts";
import { type DayTable, dayTableName, type ProjectTables } from "../layout.ts";
import type { Session } from "../session.ts";
import type { Writer } from "../writer.ts";
import { dropExpired } from "./retention.ts";

/**
 * Drops expired days, then rewrites closed days in the order of event and time. A day is copied beside
 * all other work and replaces the old one in a short transaction, unless rows arrived meanwhile: then
 * it is left for a later run.
 */
export async function compact(
  database: Database,
  writer: Writer,
  { nowMs, keepDays, signal, onProgress }: CompactOptions,
): Promise<CompactReport> {
  const today = Math.floor(nowMs / dayMs);
  const dropped = await dropExpired(writer, today, keepDays, signal);
  let rewrittenDays = 0;
  let tooLarge: EventsMemoryError | undefined;
  const days = unsortedDays(database, today);
  for (const [at, [projectId, day]] of days.entries()) {
    signal.throwIfAborted();
    onProgress?.(at, days.length);
    try {
      if (await rewriteDay(database, writer, projectId, day, signal)) rewrittenDays++;
    } catch (error) {
      // A day which exceeds the memory must not prevent the others.
      if (!(error instanceof EventsMemoryError)) throw error;
      tooLarge ??= error;
    }
  }
  if (rewrittenDays > 0 || dropped.droppedDays > 0) await writer.checkpoint();
  if (tooLarge !== undefined) throw tooLarge;
  return { rewrittenDays, ...dropped };
}

function unsortedDays({ tables }: Database, today: number): (readonly [projectId: number, day: number])[] {
  return [...tables.projects.values()].flatMap(({ projectId, days }) =>
    [...days]
      .filter(([day, table]) => day < today && !table.isSorted)
      .map(([day]) => [projectId, day] as const),
  );
}

async function rewriteDay(
  database: Database,
  writer: Writer,
  projectId: number,
  day: number,
  signal: AbortSignal,
): Promise<boolean> {
  const old = database.tables.projects.get(projectId)?.days.get(day);
  if (old === undefined) return false;
  const generation = old.generation + 1;
  const name = dayTableName(projectId, day, generation);
  await using session = await database.session(signal);
  await session.run(`CREATE TABLE ${name} AS FROM ${old.table} ORDER BY event, time_ms`);
  const copy: DayTable = { ...old, table: name, generation, isSorted: true };
  try {
    const isSwapped = await writer.write(async (transaction, tables) => {
      const project = tables.projects.get(projectId);
      if (project?.days.get(day) !== old) return { result: false };
      await swap(transaction, projectId, day, old, copy);
      const days = new Map(project.days).set(day, copy);
      return {
        tables: { ...tables, projects: withProject(tables.projects, { ...project, days }) },
        result: true,
      };
    }, signal);
    if (!isSwapped) await dropCopy(writer, name);
    return isSwapped;
  } catch (error) {
    await dropCopy(writer, name).catch(() => undefined);
    throw error;
  }
}

async function swap(
  session: Session,
  projectId: number,
  day: number,
  old: DayTable,
  { generation }: DayTable,
): Promise<void> {
  await session.run(`DROP TABLE ${old.table}`);
  await session.run(
    `UPDATE days SET generation = ${generation}, sorted = true WHERE project = ${projectId} AND day = ${day}`,
  );
}

/** Drops an unused copy. One that remains is dropped when the file is opened next. */
function dropCopy(writer: Writer, name: string): Promise<void> {
  return writer.write(async (session, tables) => {
    await session.run(`DROP TABLE IF EXISTS ${name}`);
    return { tables, result: undefined };
  });
}

export function withProject(
  projects: ReadonlyMap<number, ProjectTables>,
  project: ProjectTables,
): ReadonlyMap<number, ProjectTables> {
  return new Map(projects).set(project.projectId, project);
}
