import { type ChannelStore, DEFAULT_RUN_RETENTION_MS } from "../channels.ts";
import { SqlChannels } from "../sql/sql-channels.ts";
import { createPool, type PostgresConnection } from "./connect.ts";
import { toChannelsError } from "./errors.ts";
import { checkDurability, checkVersion } from "./migrate.ts";
import { PoolExecutor } from "./pool-executor.ts";
import { checkSchemaName } from "./schema.ts";

export interface PostgresChannelsOptions extends PostgresConnection {
  /** The schema whose tables `migrate` has brought up; it may be the inbox's. Default "engage_inbox". */
  readonly schema?: string;
  /** How long runs that have ended are kept. Default 30 days. */
  readonly retentionMs?: number;
  /** Replicas' clocks must agree to within a fraction of the leases. Slots go by the database's. */
  readonly now?: () => number;
}

/**
 * Opens the store in a PostgreSQL schema, which any number of replicas may
 * share. A server that goes away later makes calls reject until it is back.
 *
 * @throws ChannelsOpenError when the tables have another version than this
 * program, or the server doesn't keep what it has committed.
 * @throws ChannelsUnavailableError when the database is away.
 */
export async function openPostgresChannels(options: PostgresChannelsOptions): Promise<ChannelStore> {
  const { schema = "engage_inbox", now = Date.now, retentionMs = DEFAULT_RUN_RETENTION_MS } = options;
  checkSchemaName(schema);
  const pool = createPool(options);
  try {
    await checkVersion(pool, schema);
    await checkDurability(pool);
  } catch (error) {
    await pool.end();
    throw toChannelsError(error);
  }
  return new SqlChannels(new PoolExecutor(pool, schema), { now, retentionMs });
}
