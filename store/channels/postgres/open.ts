import type { PostgresConnection } from "../../sql/postgres/connect.ts";
import { openPool } from "../../sql/postgres/executor.ts";
import { openLeaseClock } from "../../sql/postgres/lease-clock.ts";
import { type ChannelStore, defaultRunRetentionMs } from "../channels.ts";
import { SqlChannels } from "../sql/sql-channels.ts";
import { PostgresChannelsExecutor } from "./executor.ts";
import { channelStore } from "./store.ts";

/** Batches of a large audience are written some thousands at a time. */
const STATEMENT_TIMEOUT_MS = 30_000;

export interface PostgresChannelsOptions extends PostgresConnection {
  /** The schema whose tables `migrate` has brought up; it may be the inbox's. Default "engage_inbox". */
  readonly schema?: string;
  /** How long runs that have ended are kept. Default 30 days. */
  readonly retentionMs?: number;
  readonly now?: () => number;
  /** Milliseconds by which leases and what is due go. Default: the database's clock. */
  readonly leaseNow?: () => number;
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
  const { schema = "engage_inbox", now = Date.now, retentionMs = defaultRunRetentionMs } = options;
  const pool = await openPool(channelStore, { statementTimeoutMs: STATEMENT_TIMEOUT_MS, ...options }, schema);
  const executor = new PostgresChannelsExecutor(pool, schema);
  try {
    const monotonic = () => performance.now();
    const { leaseNow = await openLeaseClock({ ask: () => executor.clock(), monotonic }) } = options;
    return new SqlChannels(executor, { now, leaseNow, retentionMs });
  } catch (error) {
    await executor[Symbol.asyncDispose]();
    throw error;
  }
}
