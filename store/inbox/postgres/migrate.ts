import type { PostgresConnection } from "../../sql/postgres/connect.ts";
import { type Migrated, migrateStore } from "../../sql/postgres/migrate.ts";
import { inboxStore } from "./store.ts";

/**
 * Brings the inbox's tables in a schema to the version of this program.
 * @throws InboxOpenError when they are newer; InboxUnavailableError when the database is away
 */
export async function migrate(connection: PostgresConnection, schema: string): Promise<Migrated> {
  return await migrateStore(inboxStore, connection, schema);
}
