import { PartChangedError, type ProjectContents, type StoredPart } from "../../contents.ts";
import type { Property } from "../../schema.ts";
import {
  type CohortTable,
  type DataTable,
  type DayTable,
  dayText,
  type ProjectTables,
  propertyColumn,
  visitorsRelation,
} from "../layout.ts";
import type { Snapshot } from "./query.ts";

/** A part, and the statement which reads its lines. */
interface ReadablePart {
  readonly part: StoredPart;
  readonly sql: string;
}

/** Lists the parts of all projects as of the snapshot. */
export async function listContents(snapshot: Snapshot): Promise<readonly ProjectContents[]> {
  const found: ProjectContents[] = [];
  for (const project of snapshot.tables.projects.values()) {
    const { projectId, schema } = project;
    const parts: StoredPart[] = [];
    for (const { part } of partsOf(project)) {
      const rows = part.rows < 0 ? await countRows(snapshot, project, part) : part.rows;
      parts.push({ ...part, rows });
    }
    found.push({
      projectId,
      parts,
      events: [...schema.events.values()],
      properties: [...schema.properties.values()],
    });
  }
  return found;
}

/** Reads the lines of a part, unless it has changed. */
export async function* readPartLines(
  snapshot: Snapshot,
  { projectId, name, stamp }: StoredPart,
): AsyncGenerator<readonly string[], void> {
  const project = snapshot.tables.projects.get(projectId);
  const found = project && partsOf(project).find(({ part }) => part.name === name);
  if (found?.part.stamp !== stamp)
    throw new PartChangedError(`${name} of project ${projectId} has changed since it was listed`);
  for await (const chunk of snapshot.stream(found.sql)) yield (chunk.getColumns() as [string[]])[0];
}

/** Returns the parts, whose rows are -1 where they have to be counted. Visitors are before users. */
function partsOf(project: ProjectTables): readonly ReadablePart[] {
  const { projectId, schema, days, updatable, users, visitors, cohorts } = project;
  const stamp = String(schema.version);
  const part = (kind: StoredPart["kind"], name: string): StoredPart => ({
    projectId,
    kind,
    name,
    stamp,
    rows: -1,
  });
  const properties = [...schema.properties.values()];
  return [
    ...Array.from(days, ([day, table]) => dayPart(projectId, day, table, properties)),
    ...(updatable === undefined
      ? []
      : [
          {
            part: part("updatable", "updatable events"),
            sql: eventLines(updatable, properties, "i: event_id, o: 'overwrite', "),
          },
        ]),
    ...(visitors === undefined
      ? []
      : [
          {
            part: part("visitors", "visitors"),
            sql: `SELECT to_json({d: distinct_id, u: user_id})::VARCHAR FROM ${visitorsRelation(project)}`,
          },
        ]),
    ...(users === undefined
      ? []
      : [
          {
            part: part("users", "users"),
            sql: linesOf(users, `u: user_id, a: account_id, d: distinct_id, p: ${values(users, properties)}`),
          },
        ]),
    ...cohorts.map((cohort) => cohortPart(projectId, cohort)),
  ];
}

function dayPart(
  projectId: number,
  day: number,
  table: DayTable,
  properties: readonly Property[],
): ReadablePart {
  const { generation, events: rows } = table;
  const part: StoredPart = {
    projectId,
    kind: "day",
    name: `day ${dayText(day)}`,
    stamp: `${generation} ${rows}`,
    rows,
    day,
    properties: [...table.properties],
  };
  return { part, sql: eventLines(table, properties) };
}

function cohortPart(
  projectId: number,
  { table, number, members, name, day, kind }: CohortTable,
): ReadablePart {
  const cohort = { name, day, kind };
  const part: StoredPart = {
    projectId,
    kind: "cohort",
    name: `${kind} ${JSON.stringify(name)} of ${day}`,
    stamp: String(number),
    rows: members,
    cohort,
  };
  return { part, sql: linesOf({ table }, "u: user_id, v: value") };
}

function eventLines(table: DataTable, properties: readonly Property[], more = ""): string {
  const base = "e: event, t: time_ms, r: received_ms, u: user_id, a: account_id, d: distinct_id";
  return linesOf(table, `${more}${base}, p: ${values(table, properties)}`);
}

/** A merge leaves nulls out, which are most values of a wide table. */
function linesOf({ table }: Pick<DataTable, "table">, fields: string): string {
  return `SELECT json_merge_patch('{}', to_json({${fields}}))::VARCHAR FROM ${table}`;
}

function values({ properties: has }: DataTable, properties: readonly Property[]): string {
  const fields = properties
    .filter(({ number }) => has.has(number))
    .map((one) => `"${one.number}": ${propertyColumn(one)}`);
  return fields.length === 0 ? "'{}'::JSON" : `{${fields.join(", ")}}`;
}

async function countRows(snapshot: Snapshot, project: ProjectTables, { kind }: StoredPart): Promise<number> {
  const { updatable, users } = project;
  const from = { updatable: updatable?.table, users: users?.table, visitors: visitorsRelation(project) };
  const table = from[kind as keyof typeof from]!;
  const [[count] = []] = await snapshot.rows<[bigint]>(`SELECT count(*) FROM ${table}`);
  return Number(count);
}
