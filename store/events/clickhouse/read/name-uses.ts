import type { NameUses } from "../../names.ts";
import type { Property } from "../../schema.ts";
import type { Connection } from "../connection.ts";
import {
  eventsTable,
  isKept,
  isLoaded,
  type ProjectSnapshot,
  propertyColumn,
  propertyType,
  updatableTable,
  usersTable,
} from "../layout.ts";
import { isLatestUpdatable, isLatestUser } from "./relations.ts";
import { readRows } from "./row-stream.ts";

/** Counts the uses of names. Reads the event column of all tables, and their columns of properties. */
export async function countUses(
  connection: Connection,
  project: ProjectSnapshot,
  signal: AbortSignal,
): Promise<NameUses> {
  const { events, properties } = project.schema;
  const ofEvents = await countEvents(connection, project, signal);
  const ofProperties = new Map<number, number>();
  for (const table of ["event", "user"] as const) {
    const own = [...properties.values()].filter((one) => one.table === table);
    for (const from of sourcesOf(project, table)) {
      const counts = await countColumns(connection, from, own, signal);
      for (const [at, { number }] of own.entries())
        ofProperties.set(number, (ofProperties.get(number) ?? 0) + counts[at]!);
    }
  }
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

/** Returns the tables with their conditions. */
function sourcesOf(project: ProjectSnapshot, table: Property["table"]): readonly string[] {
  const { projectId } = project;
  if (table === "user") return [`${usersTable(projectId)} WHERE ${isLatestUser(project)}`];
  return [
    `${eventsTable(projectId)} WHERE ${isLoaded(project)} AND ${isKept(project)}`,
    `${updatableTable(projectId)} WHERE ${isLatestUpdatable(project)}`,
  ];
}

async function countEvents(
  connection: Connection,
  project: ProjectSnapshot,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for (const from of sourcesOf(project, "event")) {
    const sql = `SELECT event, count() FROM ${from} GROUP BY event`;
    for (const [event, count] of await allRows<[number, string]>(connection, sql, signal))
      counts.set(event, (counts.get(event) ?? 0) + Number(count));
  }
  return counts;
}

async function countColumns(
  connection: Connection,
  from: string,
  properties: readonly Property[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  if (properties.length === 0) return [];
  const list = properties.map((one) =>
    propertyType(one).startsWith("Array")
      ? `countIf(notEmpty(${propertyColumn(one)}))`
      : `count(${propertyColumn(one)})`,
  );
  const rows = await allRows<string[]>(connection, `SELECT ${list.join(", ")} FROM ${from}`, signal);
  return properties.map((_, at) => rows.reduce((sum, row) => sum + Number(row[at]), 0));
}

/** Returns the rows of all shards, in no order. */
async function allRows<R extends readonly unknown[]>(
  connection: Connection,
  sql: string,
  signal: AbortSignal,
): Promise<readonly R[]> {
  const parts = await connection.onEach(
    (shard, ended) => readRows<R>(connection, shard, { sql, signal: ended }),
    signal,
  );
  return parts.flat();
}
