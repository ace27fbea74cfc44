import type { PostgresConnection } from "../../sql/postgres/connect.ts";
import { type Migrated, migrateStore } from "../../sql/postgres/migrate.ts";
import { channelStore } from "./store.ts";

/**
 * Brings the tables of channels in a schema, which may be the inbox's, to the version of this program.
 * @throws ChannelsOpenError when they are newer; ChannelsUnavailableError when the database is away
 */
export async function migrate(connection: PostgresConnection, schema: string): Promise<Migrated> {
  return await migrateStore(channelStore, connection, schema);
}
