import type { NameUses } from "../../names.ts";
import type { Property } from "../../schema.ts";
import { type DataTable, type ProjectTables, propertyColumn } from "../layout.ts";
import type { Snapshot } from "./query.ts";

/** Counts the uses of names. Reads the event column of all tables, and their columns of properties. */
export async function countUses(snapshot: Snapshot, projectId: number): Promise<NameUses> {
  const project = snapshot.tables.projects.get(projectId);
  if (project === undefined) return { events: [], properties: [] };
  const { events, properties } = project.schema;
  const ofEvents = await countEvents(snapshot, project);
  const ofProperties = await countValues(snapshot, project);
  const inOrder = <T extends { readonly number: number }>(map: ReadonlyMap<string, T>): T[] =>
    [...map.values()].sort((a, b) => a.number - b.number);
  return {
    events: inOrder(events).map(({ name, number }) => ({ name, records: ofEvents.get(number) ?? 0 })),
    properties: inOrder(properties).map(({ table, name, type, number }) => ({
      table,
      name,
      type,
      records: ofProperties.get(number) ?? 0,
    })),
  };
}

async function countEvents(snapshot: Snapshot, project: ProjectTables): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for (const { table } of eventTables(project)) {
    const rows = await snapshot.rows<[number, bigint]>(`SELECT event, count(*) FROM ${table} GROUP BY event`);
    for (const [number, count] of rows) counts.set(number, (counts.get(number) ?? 0) + Number(count));
  }
  return counts;
}

async function countValues(snapshot: Snapshot, project: ProjectTables): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  const all = [...project.schema.properties.values()];
  for (const table of [...eventTables(project), ...(project.users === undefined ? [] : [project.users])]) {
    const own = all.filter(({ number }) => table.properties.has(number));
    for (const [at, count] of (await countColumns(snapshot, table, own)).entries()) {
      const { number } = own[at]!;
      counts.set(number, (counts.get(number) ?? 0) + count);
    }
  }
  return counts;
}

async function countColumns(
  snapshot: Snapshot,
  { table }: DataTable,
  properties: readonly Property[],
): Promise<readonly number[]> {
  if (properties.length === 0) return [];
  const list = properties.map((one) => `count(${propertyColumn(one)})`).join(", ");
  const [[counts] = [[]]] = await snapshot.rows<[readonly bigint[]]>(`SELECT [${list}] FROM ${table}`);
  return counts.map(Number);
}

function eventTables({ days, updatable }: ProjectTables): readonly DataTable[] {
  return [...days.values(), ...(updatable === undefined ? [] : [updatable])];
}
