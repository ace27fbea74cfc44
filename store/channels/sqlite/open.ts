import { resolve } from "node:path";
import { createPersistentClock, systemPorts } from "../../sql/persistent-clock.ts";
import type { MarkSetup } from "../../sql/sqlite/commit-mark.ts";
import { DiskGuard } from "../../sql/sqlite/disk-guard.ts";
import { SqliteExecutor, workerBeside } from "../../sql/sqlite/executor.ts";
import { type ChannelStore, defaultRunRetentionMs } from "../channels.ts";
import { SqlChannels } from "../sql/sql-channels.ts";
import { channelStore } from "./store.ts";

export interface SqliteChannelsOptions {
  /**
   * The database file, on a local disk; a missing folder is created. Beside it are the write-ahead log
   * (`-wal`), the reserve (`.reserve`) and the holder's process id (`.pid`).
   */
  readonly path: string;
  /** How long ended runs are kept. Default 30 days. */
  readonly retentionMs?: number;
  /** How long a commit waits for more requests when the last group had several. Default 1. */
  readonly lingerMs?: number;
  /** The minimum of free disk space; below it nothing new is accepted, and stored work continues. Default 256 MiB. */
  readonly minFreeBytes?: number;
  /** Disk space reserved for settling and pruning when the disk is full. Default 4 MiB; 0: none. */
  readonly reserveBytes?: number;
  /** How long to wait for another process to release the file. Default 2 s. */
  readonly lockWaitMs?: number;
  /** The mark beside the file by which a start detects lost commits. Default: none. */
  readonly mark?: MarkSetup;
  readonly now?: () => number;
  /**
   * The clock of leases and due times, in milliseconds. Default: a clock which is never set and
   * continues across restarts.
   */
  readonly leaseNow?: () => number;
  readonly freeBytes?: (path: string) => number;
}

const mib = 1_048_576;
const thread = { url: workerBeside(import.meta.url), name: "engage-channels" };

/**
 * Opens the store in a SQLite file, which this process then holds exclusively. All SQL runs in one
 * thread; concurrent requests share a commit, and each is acknowledged after the commit has been synced
 * to disk. Leases of a previous process are over: it has ended, and its calls with it.
 *
 * @throws ChannelsOpenError when another process has the file, or it is damaged, of a newer version,
 * not of this store, or in a folder which is not writable.
 */
export async function openSqliteChannels(options: SqliteChannelsOptions): Promise<ChannelStore> {
  const path = resolve(options.path);
  const {
    now = Date.now,
    retentionMs = defaultRunRetentionMs,
    minFreeBytes = 256 * mib,
    freeBytes,
  } = options;
  const setup = {
    path,
    maxWalBytes: 8 * mib,
    checkAtOpen: false,
    mark: options.mark,
    lockWaitMs: options.lockWaitMs ?? 2_000,
    lingerMs: options.lingerMs ?? 1,
    reserveBytes: options.reserveBytes ?? 4 * mib,
  };
  const { maxWalBytes } = setup;
  const { faults } = channelStore;
  const guard = new DiskGuard({ path, faults, minFreeBytes, maxBytes: null, maxWalBytes, freeBytes });
  const executor = new SqliteExecutor(channelStore, thread, setup, guard);
  await executor.open();
  try {
    const clock = createPersistentClock(await executor.call("readClock", now(), [], undefined), {
      ...systemPorts(),
      now,
    });
    const { leaseNow = clock.clockMs } = options;
    await executor.call("expireLeases", now(), [leaseNow()], undefined);
    await executor.call("saveClock", now(), [clock.mark()], undefined);
    return new SqlChannels(executor, { now, leaseNow, retentionMs });
  } catch (error) {
    await executor[Symbol.asyncDispose]();
    throw error;
  }
}
