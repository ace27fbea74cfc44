import { resolve } from "node:path";
import { type ChannelStore, DEFAULT_RUN_RETENTION_MS } from "../channels.ts";
import { SqlChannels } from "../sql/sql-channels.ts";
import { WorkerExecutor } from "./worker-executor.ts";

export interface SqliteChannelsOptions {
  /** The database file, on a local disk; its folder is made when missing. The log (`-wal`) lies beside it. */
  readonly path: string;
  /** How long runs that have ended are kept. Default 30 days. */
  readonly retentionMs?: number;
  /** How long a commit waits for more requests when they come in company. Default 1. */
  readonly lingerMs?: number;
  /** How long to wait for a process that still has the file. Default 2 s. */
  readonly lockWaitMs?: number;
  readonly now?: () => number;
  /** Microseconds of a clock that nobody sets. */
  readonly monotonicUs?: () => number;
}

/**
 * Opens the store in a SQLite file, which this process then has for itself. All
 * SQL runs in one thread; requests of about the same time share a commit, and
 * each is answered after the commit has been synced to disk. Leases that a
 * process before has left are over: it has ended, and its calls with it.
 *
 * @throws ChannelsOpenError when another process has the file, or it is damaged,
 * of a newer version, not of this store, or in a folder that can't be written.
 */
export async function openSqliteChannels(options: SqliteChannelsOptions): Promise<ChannelStore> {
  const {
    lockWaitMs = 2_000,
    lingerMs = 1,
    now = Date.now,
    retentionMs = DEFAULT_RUN_RETENTION_MS,
  } = options;
  const { monotonicUs = () => Math.round(performance.now() * 1_000) } = options;
  const executor = new WorkerExecutor({ path: resolve(options.path), lockWaitMs, lingerMs }, monotonicUs);
  await executor.open();
  try {
    await executor.call("forgetLeases", now(), [], undefined);
  } catch (error) {
    await executor[Symbol.asyncDispose]();
    throw error;
  }
  return new SqlChannels(executor, { now, retentionMs });
}
