import type { PostgresConnection } from "../../sql/postgres/connect.ts";
import { createLateExecutor } from "../../sql/postgres/late-executor.ts";
import { type Migrated, migrateStore } from "../../sql/postgres/migrate.ts";
import type { SavedQueryStore } from "../savedqueries.ts";
import { createSqlSavedQueries } from "../sql-saved-queries.ts";
import { savedQueryStore } from "./store.ts";

export interface PostgresSavedQueriesOptions extends PostgresConnection {
  /** The schema, whose tables `migrate` has created. */
  readonly schema: string;
  readonly now?: () => number;
}

const maxConnections = 2;
const maxWaiting = 100;
const statementTimeoutMs = 5_000;

/**
 * Opens the store in a PostgreSQL schema, which any number of replicas may share. Connects when it is first used, and
 * again after a failure.
 */
export function openPostgresSavedQueries(options: PostgresSavedQueriesOptions): SavedQueryStore {
  const { schema, now = Date.now } = options;
  const connection = { statementTimeoutMs, ...options, maxConnections };
  return createSqlSavedQueries(createLateExecutor(savedQueryStore, connection, { schema, maxWaiting }), now);
}

/**
 * Migrates the tables of saved queries in a schema, which other stores may share, to the version of this program.
 * @throws SavedQueriesOpenError when they are newer
 * @throws SavedQueriesUnavailableError when the database is unavailable
 */
export async function migrate(connection: PostgresConnection, schema: string): Promise<Migrated> {
  return await migrateStore(savedQueryStore, connection, schema);
}
