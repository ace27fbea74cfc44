import { resolve } from "node:path";
import { createPersistentClock, systemPorts } from "../../sql/persistent-clock.ts";
import type { MarkSetup } from "../../sql/sqlite/commit-mark.ts";
import { DiskGuard } from "../../sql/sqlite/disk-guard.ts";
import { SqliteExecutor, workerBeside } from "../../sql/sqlite/executor.ts";
import { defaultRetention, type Inbox, type InboxRetention } from "../inbox.ts";
import { defaultMaxQueuedBytes, SqlInbox } from "../sql/sql-inbox.ts";
import { inboxStore } from "./store.ts";

export interface SqliteInboxOptions {
  /**
   * The database file; a missing folder is created. Beside it are the write-ahead log (`-wal`), the
   * reserve (`.reserve`) and the holder's process id (`.pid`). The disk must be local: network file
   * systems do not implement locks and syncs reliably.
   */
  readonly path: string;
  readonly retention?: Partial<InboxRetention>;
  /** The minimum of free disk space; no batch is accepted below it. Default 256 MiB. */
  readonly minFreeBytes?: number;
  /** The maximum size of the file; no batch is accepted beyond it. Default null: no limit. */
  readonly maxBytes?: number | null;
  /** Disk space reserved for settling and pruning when the disk is full. Default 16 MiB; 0: none. */
  readonly reserveBytes?: number;
  /**
   * The size of the write-ahead log, which stays below three times this plus the size of one body.
   * Default 16 MiB.
   */
  readonly maxWalBytes?: number;
  /** How long a commit waits for more requests when the last group had several. Default 2. */
  readonly lingerMs?: number;
  /** The maximum bytes of bodies which wait to be written; more is refused. Default 64 MiB. */
  readonly maxQueuedBytes?: number;
  /** How long to wait for another process to release the file. Default 2 s. */
  readonly lockWaitMs?: number;
  /** Whether opening reads the whole file for damage. Default false. */
  readonly checkAtOpen?: boolean;
  /** The mark beside the file by which a start detects lost commits. Default: none. */
  readonly mark?: MarkSetup;
  /** Milliseconds since 1970, for times of display. */
  readonly now?: () => number;
  /**
   * The clock of leases, waits, ages and retention. Default: `now` when it is given, otherwise a clock
   * which is never set.
   */
  readonly clockMs?: () => number;
  readonly freeBytes?: (path: string) => number;
}

const mib = 1_048_576;
const thread = { url: workerBeside(import.meta.url), name: "engage-inbox" };

/**
 * Opens an inbox in a SQLite file, which this process then holds exclusively. All SQL runs in one
 * thread; concurrent requests share a commit, and each is acknowledged after the commit has been synced
 * to disk. Leases of a previous process are over: it has ended, and its calls with it.
 *
 * @throws InboxOpenError when another process has the file, or it is damaged, of a newer version, not
 * an inbox, or in a folder which is not writable.
 */
export async function openSqliteInbox(options: SqliteInboxOptions): Promise<Inbox> {
  const path = resolve(options.path);
  const { maxWalBytes = 16 * mib, now = Date.now, freeBytes } = options;
  const guard = new DiskGuard({
    path,
    maxWalBytes,
    freeBytes,
    faults: inboxStore.faults,
    minFreeBytes: options.minFreeBytes ?? 256 * mib,
    maxBytes: options.maxBytes ?? null,
  });
  const setup = {
    path,
    maxWalBytes,
    mark: options.mark,
    lockWaitMs: options.lockWaitMs ?? 2_000,
    checkAtOpen: options.checkAtOpen ?? false,
    lingerMs: options.lingerMs ?? 2,
    reserveBytes: options.reserveBytes ?? 16 * mib,
  };
  const executor = new SqliteExecutor(inboxStore, thread, setup, guard);
  await executor.open();
  const { maxQueuedBytes = defaultMaxQueuedBytes } = options;
  const retention = { ...defaultRetention, ...options.retention };
  try {
    const mark = await executor.call("readClock", 0, [], undefined);
    const clock = createPersistentClock(mark, systemPorts());
    const { clockMs = options.now ?? clock.clockMs } = options;
    await executor.call("expireLeases", clockMs(), [], undefined);
    const saveClock = () => executor.call("saveClock", clockMs(), [clock.mark()], undefined);
    await saveClock();
    return new SqlInbox(executor, { now, clockMs, saveClock, maxQueuedBytes, retention });
  } catch (error) {
    await executor[Symbol.asyncDispose]();
    throw error;
  }
}
