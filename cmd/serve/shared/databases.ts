import type { Config } from "../../config/config.ts";

/** A schema of the database that replicas share. */
export interface SharedDatabase {
  readonly url: string;
  readonly schema: string;
  readonly maxConnections: number;
}

/** Returns the database of what replicas share; undefined when that is in the data folder. */
export function sharedDatabase({ stores }: Config): SharedDatabase | undefined {
  return stores.driver === "shared" ? databaseOf(stores) : undefined;
}

/** Returns the database of what belongs to events; undefined when that is in the data folder. */
export function eventsDatabase({ stores, events }: Config): SharedDatabase | undefined {
  return events.driver === "clickhouse" ? databaseOf(stores) : undefined;
}

function databaseOf({ postgres: { url = "", schema, maxConnections } }: Config["stores"]): SharedDatabase {
  return { url, schema, maxConnections };
}
