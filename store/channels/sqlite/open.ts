import { workerUrl } from "../../../base/package/root.ts";
import { createPersistentClock, systemPorts } from "../../sql/persistent-clock.ts";
import { mib, openSqliteExecutor, type SqliteFileOptions } from "../../sql/sqlite/open.ts";
import { type ChannelStore, defaultRunRetentionMs } from "../channels.ts";
import { SqlChannels } from "../sql/sql-channels.ts";
import { channelStore } from "./store.ts";

/** Defaults: a reserve of 4 MiB, a write-ahead log of 8 MiB, and a linger of 1 ms. */
export interface SqliteChannelsOptions extends SqliteFileOptions {
  /** How long ended runs are kept. Default 30 days. */
  readonly retentionMs?: () => number;
  readonly now?: () => number;
  /**
   * The clock of leases and due times, in milliseconds. Default: a clock which is never set and
   * continues across restarts.
   */
  readonly leaseNow?: () => number;
}

const thread = { url: workerUrl("store/channels/sqlite/worker"), name: "engage-channels" };
const defaults = { reserveBytes: 4 * mib, maxWalBytes: 8 * mib, lingerMs: 1 };

/**
 * Opens the store in a SQLite file, which this process then holds exclusively. All SQL runs in one
 * thread; concurrent requests share a commit, and each is acknowledged after the commit has been synced
 * to disk. Leases of a previous process are over: it has ended, and its calls with it.
 *
 * @throws ChannelsOpenError when another process has the file, or it is damaged, of a newer version,
 * not of this store, or in a folder which is not writable.
 */
export async function openSqliteChannels(options: SqliteChannelsOptions): Promise<ChannelStore> {
  const { now = Date.now, retentionMs = () => defaultRunRetentionMs } = options;
  const executor = await openSqliteExecutor(channelStore, thread, options, defaults);
  try {
    const mark = await executor.call("readClock", now(), [], undefined);
    const clock = createPersistentClock(mark, { ...systemPorts(), now });
    const { leaseNow = clock.clockMs } = options;
    await executor.call("expireLeases", now(), [leaseNow()], undefined);
    await executor.call("saveClock", now(), [clock.mark()], undefined);
    return new SqlChannels(executor, { now, leaseNow, retentionMs });
  } catch (error) {
    await executor[Symbol.asyncDispose]();
    throw error;
  }
}
