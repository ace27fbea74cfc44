import type { Property } from "../../schema.ts";
import type { Connection } from "../connection.ts";
import { eventsTable, propertyColumn, propertyType, updatableTable, usersTable } from "../layout.ts";
import { createTables, type DdlOptions, onCluster } from "./tables.ts";

/** Creates tables and columns on all shards before rows use them. */
export interface Columns {
  /**
   * Creates the missing tables of a project, and the missing columns of properties.
   * @param added the properties which are not registered yet: a column which such a property finds was
   * added for a batch that did not become visible
   */
  ensure(projectId: number, properties: readonly Property[], added: readonly Property[]): Promise<void>;
}

export function createColumns(connection: Connection, options: DdlOptions): Columns {
  /** The numbers of the properties which have their columns, by project. */
  const known = new Map<number, ReadonlySet<number>>();
  return {
    async ensure(projectId, properties, added) {
      const before = known.get(projectId);
      if (added.length === 0 && before !== undefined && properties.every(({ number }) => before.has(number)))
        return;
      known.delete(projectId);
      await connection.onEach((shard, signal) =>
        ensureOn({ connection, shard, signal, options, projectId, properties, added }),
      );
      known.set(projectId, new Set(properties.map(({ number }) => number)));
    },
  };
}

interface Ensure {
  readonly connection: Connection;
  readonly shard: number;
  readonly signal: AbortSignal;
  readonly options: DdlOptions;
  readonly projectId: number;
  readonly properties: readonly Property[];
  readonly added: readonly Property[];
}

async function ensureOn(given: Ensure): Promise<void> {
  const { connection, shard, signal, options, projectId, properties } = given;
  for (const sql of createTables(projectId, options)) await connection.command(shard, { sql, signal });
  for (const table of ["event", "user"] as const) {
    const own = properties.filter((one) => one.table === table);
    for (const name of tablesWith(projectId, table)) await ensureTable(given, name, own);
  }
}

/** Returns the tables which have columns for the properties of events, or of users. */
export function tablesWith(projectId: number, table: Property["table"]): readonly string[] {
  return table === "event" ? [eventsTable(projectId), updatableTable(projectId)] : [usersTable(projectId)];
}

async function ensureTable(
  { connection, shard, signal, options, added }: Ensure,
  table: string,
  properties: readonly Property[],
): Promise<void> {
  const existing = await readColumns(connection, shard, table, signal);
  const alter = async (changes: readonly string[]): Promise<void> => {
    if (changes.length === 0) return;
    const sql = `ALTER TABLE ${table}${onCluster(options.cluster)} ${changes.join(", ")}`;
    await connection.command(shard, { sql, signal, settings: { mutations_sync: 1, alter_sync: 1 } });
  };
  const isWrong = (one: Property): boolean => {
    const type = existing.get(propertyColumn(one));
    return type !== undefined && type !== propertyType(one);
  };
  const wrong = properties.filter(isWrong);
  const registered = wrong.find((one) => !added.includes(one));
  if (registered !== undefined) {
    const column = propertyColumn(registered);
    throw new Error(
      `column ${column} of ${table} is ${existing.get(column)}, not ${propertyType(registered)}`,
    );
  }
  await alter(wrong.map((one) => `DROP COLUMN IF EXISTS ${propertyColumn(one)}`));
  const missing = properties.filter((one) => !existing.has(propertyColumn(one)) || wrong.includes(one));
  await alter(missing.map((one) => `ADD COLUMN IF NOT EXISTS ${propertyColumn(one)} ${propertyType(one)}`));
}

/** Returns the types of the columns of a table by name. */
export async function readColumns(
  connection: Connection,
  shard: number,
  table: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.rows<[string, string]>(shard, {
    sql: `SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = '${table}'`,
    ...(signal !== undefined && { signal }),
  });
  return new Map(rows);
}
