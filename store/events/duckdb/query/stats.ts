import type { ProjectStats, StoreStats } from "../../events.ts";
import { type Database, databaseFile, logFile, sizeOf } from "../database.ts";
import { dayText, type ProjectTables } from "../layout.ts";
import { openSnapshot, type Snapshot } from "./query.ts";

export async function storeStats(database: Database): Promise<StoreStats> {
  const { folder } = database;
  const sizes = await Promise.all([databaseFile(folder), logFile(folder)].map(sizeOf));
  await using snapshot = await openSnapshot(database, new AbortController().signal);
  const projects: ProjectStats[] = [];
  for (const project of snapshot.tables.projects.values())
    projects.push(await projectStats(snapshot, project));
  return { bytes: sizes[0]! + sizes[1]!, projects };
}

async function projectStats(snapshot: Snapshot, project: ProjectTables): Promise<ProjectStats> {
  const { projectId, days, updatable, users, schema } = project;
  const numbers = [...days.keys()];
  return {
    projectId,
    days: days.size,
    firstDay: numbers.length === 0 ? undefined : dayText(Math.min(...numbers)),
    lastDay: numbers.length === 0 ? undefined : dayText(Math.max(...numbers)),
    events: [...days.values()].reduce((sum, day) => sum + day.events, 0),
    updatableEvents: await countRows(snapshot, updatable?.table),
    users: await countRows(snapshot, users?.table),
    eventNames: schema.events.size,
    properties: schema.properties.size,
  };
}

async function countRows(snapshot: Snapshot, table: string | undefined): Promise<number> {
  if (table === undefined) return 0;
  const [[count] = []] = await snapshot.rows<[bigint]>(`SELECT count(*) FROM ${table}`);
  return Number(count);
}
