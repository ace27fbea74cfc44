import { emptySchema } from "../../events.ts";
import type { LoadBatch, LoadCounts, ProjectRows, SpoolPlace } from "../../load.ts";
import type { ProjectTables } from "../layout.ts";
import type { Session } from "../session.ts";
import type { Writer } from "../writer.ts";
import { loadEvents } from "./events.ts";
import { register } from "./registry.ts";
import { loadSeen } from "./seen.ts";
import { loadUpdates } from "./updates.ts";
import { loadUsers } from "./users.ts";

/** Loads a batch, with its place and all new names, in one transaction. */
export function loadBatch(writer: Writer, batch: LoadBatch, scratchFolder: string): Promise<LoadCounts> {
  return writer.write(async (session, tables) => {
    if (!isAfter(batch.to, tables.loadedTo)) return { result: { events: 0, users: 0 } };
    const projects = new Map(tables.projects);
    for (const rows of batch.projects) {
      const before = projects.get(rows.projectId);
      projects.set(rows.projectId, await loadProject(session, before, rows, scratchFolder));
    }
    await recordPlace(session, tables.loadedTo, batch.to);
    const counts = batch.projects.map((rows) => rows.counts);
    const result = {
      events: counts.reduce((sum, { events, updates }) => sum + events + updates, 0),
      users: counts.reduce((sum, { users }) => sum + users, 0),
    };
    return { tables: { loadedTo: batch.to, projects }, result };
  });
}

function isAfter(place: SpoolPlace, other: SpoolPlace | undefined): boolean {
  if (other === undefined || place.number > other.number) return true;
  return place.number === other.number && place.offset > other.offset;
}

async function loadProject(
  session: Session,
  before: ProjectTables | undefined,
  rows: ProjectRows,
  scratchFolder: string,
): Promise<ProjectTables> {
  const { projectId, updatesFile, seenFile, usersFile } = rows;
  if (rows.shards !== undefined) throw new TypeError("events of shards are not for this store");
  const old = before ?? emptyProject(projectId);
  const known = await register(session, projectId, old.schema, rows);
  const days =
    rows.days === undefined ? old.days : await loadEvents(session, projectId, old.days, rows.days, known);
  const updatable =
    updatesFile === undefined
      ? old.updatable
      : await loadUpdates(session, projectId, old.updatable, updatesFile, known);
  const changed =
    usersFile === undefined
      ? old.users
      : await loadUsers(session, projectId, old.users, usersFile, known, scratchFolder);
  const { users, visitors } =
    seenFile === undefined
      ? { users: changed, visitors: old.visitors }
      : await loadSeen(session, projectId, { ...old, users: changed }, seenFile);
  const schema = { ...known, version: await nextVersion(session, before, projectId) };
  return { ...old, schema, days, updatable, users, visitors };
}

export function emptyProject(projectId: number): ProjectTables {
  if (!Number.isSafeInteger(projectId) || projectId < 0)
    throw new Error(`project ${projectId} is not a whole number from 0 on`);
  return {
    projectId,
    schema: emptySchema,
    days: new Map(),
    updatable: undefined,
    users: undefined,
    visitors: undefined,
    cohorts: [],
  };
}

/** Records that the data of the project has changed. */
export async function nextVersion(
  session: Session,
  before: ProjectTables | undefined,
  projectId: number,
): Promise<number> {
  const version = (before?.schema.version ?? 0) + 1;
  await session.run(
    before === undefined
      ? `INSERT INTO projects VALUES (${projectId}, ${version})`
      : `UPDATE projects SET version = ${version} WHERE project = ${projectId}`,
  );
  return version;
}

async function recordPlace(session: Session, before: SpoolPlace | undefined, to: SpoolPlace): Promise<void> {
  await session.run(
    before === undefined
      ? "INSERT INTO position VALUES ($1, $2)"
      : "UPDATE position SET file_number = $1, bytes = $2",
    [to.number, to.offset],
  );
}
