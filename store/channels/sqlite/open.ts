import { resolve } from "node:path";
import { createPersistentClock, systemPorts } from "../../sql/persistent-clock.ts";
import type { MarkSetup } from "../../sql/sqlite/commit-mark.ts";
import { DiskGuard } from "../../sql/sqlite/disk-guard.ts";
import { type ChannelStore, defaultRunRetentionMs } from "../channels.ts";
import { SqlChannels } from "../sql/sql-channels.ts";
import { SqliteChannelsExecutor } from "./executor.ts";
import { channelStore } from "./store.ts";

export interface SqliteChannelsOptions {
  /**
   * The database file, on a local disk; its folder is made when missing. Beside it lie the log
   * (`-wal`), the reserve (`.reserve`) and the holder's number (`.pid`).
   */
  readonly path: string;
  /** How long runs that have ended are kept. Default 30 days. */
  readonly retentionMs?: number;
  /** How long a commit waits for more requests when they come in company. Default 1. */
  readonly lingerMs?: number;
  /** Nothing new is taken when less is free on the disk: what is stored goes on. Default 256 MiB. */
  readonly minFreeBytes?: number;
  /** Room kept for settling and pruning on a disk that others filled. Default 4 MiB; 0: none. */
  readonly reserveBytes?: number;
  /** How long to wait for a process that still has the file. Default 2 s. */
  readonly lockWaitMs?: number;
  /** Where what was acknowledged is known beside the file, so that a start notices a loss. Default: nowhere. */
  readonly mark?: MarkSetup;
  readonly now?: () => number;
  /** Milliseconds by which leases and what is due go. Default: a clock that nobody sets, and which goes on over restarts. */
  readonly leaseNow?: () => number;
  readonly freeBytes?: (path: string) => number;
}

const mib = 1_048_576;

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
  const executor = new SqliteChannelsExecutor(setup, guard);
  await executor.open();
  try {
    const clock = createPersistentClock(await executor.call("readClock", now(), [], undefined), {
      ...systemPorts(),
      now,
    });
    const { leaseNow = clock.clockMs } = options;
    await executor.call("forgetLeases", now(), [leaseNow()], undefined);
    await executor.call("saveClock", now(), [clock.mark()], undefined);
    return new SqlChannels(executor, { now, leaseNow, retentionMs });
  } catch (error) {
    await executor[Symbol.asyncDispose]();
    throw error;
  }
}
