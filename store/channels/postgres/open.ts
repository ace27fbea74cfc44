import type { PostgresConnection } from "../../sql/postgres/connect.ts";
import { openPool, PostgresExecutor } from "../../sql/postgres/executor.ts";
import { openLeaseClock } from "../../sql/postgres/lease-clock.ts";
import { type Migrated, migrateStore } from "../../sql/postgres/migrate.ts";
import { type ChannelStore, defaultRunRetentionMs } from "../channels.ts";
import { SqlChannels } from "../sql/sql-channels.ts";
import { channelStore } from "./store.ts";

/** The maximum number of calls which wait for a connection; more are refused at once. */
const maxWaiting = 1_000;
/** The default for statements: batches of a large audience are written some thousands at a time. */
const defaultStatementTimeoutMs = 30_000;

export interface PostgresChannelsOptions extends PostgresConnection {
  /** The schema, whose tables `migrate` has created; it may be the inbox's. Default "engage_inbox". */
  readonly schema?: string;
  /** How long ended runs are kept. Default 30 days. */
  readonly retentionMs?: () => number;
  readonly now?: () => number;
  /** The clock of leases and due times, in milliseconds. Default: the database's clock. */
  readonly leaseNow?: () => number;
}

/**
 * Opens the store in a PostgreSQL schema, which any number of replicas may share. When the server
 * becomes unavailable later, calls reject until it is available again.
 *
 * @throws ChannelsOpenError when the tables have another version than this program, or the server does
 * not sync commits to disk.
 * @throws ChannelsUnavailableError when the database is unavailable.
 */
export async function openPostgresChannels(options: PostgresChannelsOptions): Promise<ChannelStore> {
  const { schema = "engage_inbox", now = Date.now, retentionMs = () => defaultRunRetentionMs } = options;
  const pool = await openPool(
    channelStore,
    { statementTimeoutMs: defaultStatementTimeoutMs, ...options },
    schema,
  );
  const executor = new PostgresExecutor(channelStore, pool, { schema, maxWaiting });
  try {
    const monotonic = () => performance.now();
    const { leaseNow = await openLeaseClock({ ask: () => executor.clock(), monotonic }) } = options;
    return new SqlChannels(executor, { now, leaseNow, retentionMs });
  } catch (error) {
    await executor[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Migrates the tables of channels in a schema, which may be the inbox's, to the version of this
 * program.
 * @throws ChannelsOpenError when they are newer
 * @throws ChannelsUnavailableError when the database is unavailable
 */
export async function migrate(connection: PostgresConnection, schema: string): Promise<Migrated> {
  return await migrateStore(channelStore, connection, schema);
}
