import type { NameRemoval, RemovedNames } from "../../names.ts";
import type { ProjectSchema, Property } from "../../schema.ts";
import { type DataTable, type DayTable, type ProjectTables, propertyColumn } from "../layout.ts";
import { nextVersion } from "../load/load.ts";
import type { Session } from "../session.ts";
import type { Writer } from "../writer.ts";
import { withProject } from "./compact.ts";
import { deleteEventRows } from "./delete-rows.ts";

/** Statements with more numbers take long to parse. */
const maxNumbers = 10_000;
const nothing: RemovedNames = { events: 0, properties: 0, records: 0 };

/** Removes names in one transaction; the file shrinks at the checkpoint which follows. */
export async function removeNames(writer: Writer, removal: NameRemoval): Promise<RemovedNames> {
  const { projectId } = removal;
  const removed = await writer.write(async (session, tables) => {
    const project = tables.projects.get(projectId);
    if (project === undefined) return { result: nothing };
    const properties = propertiesOf(project.schema, removal);
    const events = removal.events.flatMap((name) => project.schema.events.get(name) ?? []);
    if (events.length === 0 && properties.length === 0) return { result: nothing };
    // Columns first: a table with changed rows can't be altered in the same transaction.
    const narrow = await dropColumns(session, project, properties);
    const numbers = events.map(({ number }) => number);
    const { project: smaller, records } =
      numbers.length === 0
        ? { project: narrow, records: 0 }
        : await deleteEventRows(session, narrow, (table) =>
            deleteNumbers(session, `${table} WHERE event`, numbers),
          );
    await deleteNumbers(session, `event_names WHERE project = ${projectId} AND number`, numbers);
    const own = properties.map(({ number }) => number);
    await deleteNumbers(session, `properties WHERE project = ${projectId} AND number`, own);
    const schema = {
      version: await nextVersion(session, project, projectId),
      events: without(project.schema.events, new Set(events)),
      properties: without(project.schema.properties, new Set(properties)),
    };
    const projects = withProject(tables.projects, { ...smaller, schema });
    const result = { events: events.length, properties: properties.length, records };
    return { tables: { ...tables, projects }, result };
  });
  if (removed !== nothing) await writer.checkpoint();
  return removed;
}

/** Returns the named properties, objects with their members. */
function propertiesOf({ properties }: ProjectSchema, removal: NameRemoval): readonly Property[] {
  const named = new Set(removal.properties.map(({ table, name }) => `${table}:${name}`));
  return [...properties.values()].filter(
    ({ table, name }) => named.has(`${table}:${name}`) || named.has(`${table}:${name.split(".", 1)[0]}`),
  );
}

function without<T>(map: ReadonlyMap<string, T>, removed: ReadonlySet<T>): ReadonlyMap<string, T> {
  return removed.size === 0 ? map : new Map([...map].filter(([, one]) => !removed.has(one)));
}

async function dropColumns(
  session: Session,
  project: ProjectTables,
  properties: readonly Property[],
): Promise<ProjectTables> {
  const drop = async <T extends DataTable>(table: T): Promise<T> => {
    const own = properties.filter(({ number }) => table.properties.has(number));
    if (own.length === 0) return table;
    const statements = own.map((one) => `ALTER TABLE ${table.table} DROP COLUMN ${propertyColumn(one)}`);
    await session.run(statements.join(";"));
    const numbers = new Set(own.map(({ number }) => number));
    return { ...table, properties: new Set([...table.properties].filter((number) => !numbers.has(number))) };
  };
  const days = new Map<number, DayTable>();
  for (const [day, table] of project.days) days.set(day, await drop(table));
  return {
    ...project,
    days,
    updatable: project.updatable && (await drop(project.updatable)),
    users: project.users && (await drop(project.users)),
  };
}

/**
 * Deletes rows by number.
 * @param from the table and condition, up to the column of the numbers
 */
async function deleteNumbers(session: Session, from: string, numbers: readonly number[]): Promise<number> {
  let deleted = 0;
  for (let at = 0; at < numbers.length; at += maxNumbers) {
    const list = numbers.slice(at, at + maxNumbers).join(", ");
    const [[count] = []] = await session.rows<[bigint]>(`DELETE FROM ${from} IN (${list})`);
    deleted += Number(count);
  }
  return deleted;
}
