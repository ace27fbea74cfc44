import { EventsOpenError } from "../events.ts";
import type { SpoolPlace } from "../load.ts";
import type { EventName, ProjectSchema, Property, PropertyTable, PropertyType } from "../schema.ts";
import {
  type CohortTable,
  cohortTableName,
  type DataTable,
  type DayTable,
  dayTableName,
  type ProjectTables,
  type StoreTables,
  updatableTableName,
  usersTableName,
  visitorsTableName,
} from "./layout.ts";
import { createVisitors } from "./load/seen.ts";
import type { Session } from "./session.ts";

/** Incremented when files of earlier versions can't be read any more. */
const format = 2;

// The tables have no keys: the engine refuses to insert a row again in the transaction which deleted it.
const definitions = [
  "CREATE TABLE store_info (format INTEGER)",
  `INSERT INTO store_info VALUES (${format})`,
  "CREATE TABLE position (file_number BIGINT, bytes BIGINT)",
  "CREATE TABLE projects (project BIGINT, version BIGINT)",
  "CREATE TABLE event_names (project BIGINT, number INTEGER, name VARCHAR)",
  `CREATE TABLE properties
    (project BIGINT, number INTEGER, owner VARCHAR, name VARCHAR, type VARCHAR, object_group VARCHAR)`,
  "CREATE TABLE days (project BIGINT, day INTEGER, generation INTEGER, events BIGINT, sorted BOOLEAN)",
  `CREATE TABLE clusters
    (project BIGINT, number INTEGER, name VARCHAR, day VARCHAR, kind VARCHAR, members BIGINT)`,
];

/**
 * Creates the tables of a new file, or reads those of an existing one and drops the leftovers of an
 * interrupted rewrite.
 */
export async function openCatalog(session: Session): Promise<StoreTables> {
  const existing = await readColumns(session);
  if (existing.size === 0) {
    await session.run(["BEGIN", ...definitions, "COMMIT"].join(";"));
    return { loadedTo: undefined, projects: new Map() };
  }
  if (!existing.has('"store_info"')) throw new EventsOpenError("it is a database of another application");
  const [found] = await session.rows<[number]>("SELECT format FROM store_info");
  if (found?.[0] === 1) {
    await addVisitors(session, existing);
    return await openCatalog(session);
  }
  if (found?.[0] !== format)
    throw new EventsOpenError(`it has format ${found?.[0]}, this version reads formats 1 and ${format}`);
  const tables = await readTables(session, existing);
  for (const orphan of orphansOf(tables, existing)) await session.run(`DROP TABLE ${orphan}`);
  return tables;
}

/**
 * Converts files of format 1, which have only the last visitor of each user. That visitor may be
 * another user; it is the user's for certain when there is no account.
 */
async function addVisitors(session: Session, existing: TableColumns): Promise<void> {
  await session.run("BEGIN");
  for (const users of existing.keys()) {
    const project = /^"u(-?\d+)"$/.exec(users)?.[1];
    if (project === undefined) continue;
    const visitors = visitorsTableName(Number(project));
    await session.run(createVisitors(visitors));
    await session.run(`INSERT INTO ${visitors} SELECT distinct_id, user_id FROM ${users}
      WHERE distinct_id IS NOT NULL ORDER BY account_id IS NOT NULL, user_id`);
  }
  await session.run(`UPDATE store_info SET format = ${format}`);
  await session.run("COMMIT");
}

/** Columns by the quoted name of the table. */
type TableColumns = ReadonlyMap<string, ReadonlySet<string>>;

export async function readColumns(session: Pick<Session, "rows">): Promise<TableColumns> {
  const columns = new Map<string, Set<string>>();
  const rows = await session.rows<[string, string]>(
    "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal AND database_name <> 'temp'",
  );
  for (const [table, column] of rows) {
    const quoted = `"${table}"`;
    columns.set(quoted, (columns.get(quoted) ?? new Set()).add(column));
  }
  return columns;
}

/** Returns the tables of data which the catalog does not name. */
export function orphansOf({ projects }: StoreTables, columns: TableColumns): string[] {
  const named = new Set(
    [...projects.values()].flatMap((project) => dataTables(project).map(({ table }) => table)),
  );
  return [...columns.keys()].filter((table) => /^"[emuvc]-?\d/.test(table) && !named.has(table));
}

export function dataTables({
  days,
  updatable,
  users,
  visitors,
  cohorts,
}: ProjectTables): { readonly table: string }[] {
  const ofVisitors = visitors === undefined ? undefined : { table: visitors };
  return [...days.values(), updatable, users, ofVisitors, ...cohorts].filter((table) => table !== undefined);
}

async function readTables(session: Session, columns: TableColumns): Promise<StoreTables> {
  const [position] = await session.rows<[bigint, bigint]>("SELECT file_number, bytes FROM position");
  const versions = await session.rows<[bigint, bigint]>(
    "SELECT project, version FROM projects ORDER BY project",
  );
  const projects = new Map<number, ProjectTables>();
  for (const [id, version] of versions) {
    const projectId = Number(id);
    const schema = { version: Number(version), ...(await readRegistry(session, projectId)) };
    projects.set(projectId, {
      projectId,
      schema,
      days: await readDays(session, projectId, columns),
      updatable: existingTable(updatableTableName(projectId), columns),
      users: existingTable(usersTableName(projectId), columns),
      visitors: existingTable(visitorsTableName(projectId), columns)?.table,
      cohorts: await readCohorts(session, projectId),
    });
  }
  const loadedTo: SpoolPlace | undefined = position && {
    number: Number(position[0]),
    offset: Number(position[1]),
  };
  return { loadedTo, projects };
}

async function readRegistry(session: Session, projectId: number): Promise<Omit<ProjectSchema, "version">> {
  const names = await session.rows<[number, string]>(
    "SELECT number, name FROM event_names WHERE project = $1 ORDER BY number",
    [projectId],
  );
  const rows = await session.rows<[number, PropertyTable, string, PropertyType, string | null]>(
    "SELECT number, owner, name, type, object_group FROM properties WHERE project = $1 ORDER BY number",
    [projectId],
  );
  const events = names.map(([number, name]): EventName => ({ name, number }));
  const properties = rows.map(
    ([number, table, name, type, group]): Property => ({
      table,
      name,
      number,
      type,
      ...(group === null ? {} : { group }),
    }),
  );
  return {
    events: new Map(events.map((event) => [event.name, event])),
    properties: new Map(properties.map((property) => [`${property.table}:${property.name}`, property])),
  };
}

async function readDays(
  session: Session,
  projectId: number,
  columns: TableColumns,
): Promise<ReadonlyMap<number, DayTable>> {
  const rows = await session.rows<[number, number, bigint, boolean]>(
    "SELECT day, generation, events, sorted FROM days WHERE project = $1 ORDER BY day",
    [projectId],
  );
  return new Map(
    rows.map(([day, generation, events, isSorted]) => {
      const table = dayTableName(projectId, day, generation);
      const properties = propertiesOf(columns.get(table));
      return [day, { table, properties, generation, events: Number(events), isSorted }];
    }),
  );
}

function existingTable(table: string, columns: TableColumns): DataTable | undefined {
  return columns.has(table) ? { table, properties: propertiesOf(columns.get(table)) } : undefined;
}

/** Returns the properties of columns such as `p17_n`. */
function propertiesOf(columns: ReadonlySet<string> = new Set()): ReadonlySet<number> {
  return new Set(
    [...columns].flatMap((column) => {
      const number = /^p(\d+)_/.exec(column)?.[1];
      return number === undefined ? [] : [Number(number)];
    }),
  );
}

async function readCohorts(session: Session, projectId: number): Promise<readonly CohortTable[]> {
  const rows = await session.rows<[number, string, string, "cohort" | "tag", bigint]>(
    "SELECT number, name, day, kind, members FROM clusters WHERE project = $1 ORDER BY number",
    [projectId],
  );
  return rows.map(([number, name, day, kind, members]) => ({
    table: cohortTableName(projectId, number),
    number,
    name,
    day,
    kind,
    members: Number(members),
  }));
}
