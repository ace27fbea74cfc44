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
   * The database file; its folder is made when missing. Beside it lie the log
   * (`-wal`), the reserve (`.reserve`) and the holder's number (`.pid`). Must be
   * on a local disk: network file systems lie about locks and syncs.
   */
  readonly path: string;
  readonly retention?: Partial<InboxRetention>;
  /** No batch is taken when less is free on the disk. Default 256 MiB. */
  readonly minFreeBytes?: number;
  /** No batch is taken when the file uses more. Default null: no cap. */
  readonly maxBytes?: number | null;
  /** Room kept for settling and pruning on a disk that others filled. Default 16 MiB; 0: none. */
  readonly reserveBytes?: number;
  /** Size of the log; it stays below three times this, and the size of one body. Default 16 MiB. */
  readonly maxWalBytes?: number;
  /** How long a commit waits for more requests when they come in company. Default 2. */
  readonly lingerMs?: number;
  /** Bodies that wait to be written; more is refused. Default 64 MiB. */
  readonly maxQueuedBytes?: number;
  /** How long to wait for a process that still has the file. Default 2 s. */
  readonly lockWaitMs?: number;
  /** Read the whole file for damage when opening. Default false. */
  readonly checkAtOpen?: boolean;
  /** Where what was acknowledged is known beside the file, so that a start notices a loss. Default: nowhere. */
  readonly mark?: MarkSetup;
  /** Milliseconds since 1970, of times that are shown. */
  readonly now?: () => number;
  /** Of leases, waits, ages and retention. Default: what `now` says, or a clock that nobody sets. */
  readonly clockMs?: () => number;
  readonly freeBytes?: (path: string) => number;
}

const mib = 1_048_576;
const thread = { url: workerBeside(import.meta.url), name: "engage-inbox" };

/**
 * Opens an inbox in a SQLite file, which this process then has for itself. All
 * SQL runs in one thread; requests of about the same time share a commit, and
 * each is answered after the commit has been synced to disk. Leases that a process
 * before has left are over: it has ended, and its calls with it.
 *
 * @throws InboxOpenError when another process has the file, or it is damaged,
 * of a newer version, not an inbox, or in a folder that can't be written.
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
    await executor.call("forgetLeases", clockMs(), [], undefined);
    const saveClock = () => executor.call("saveClock", clockMs(), [clock.mark()], undefined);
    await saveClock();
    return new SqlInbox(executor, { now, clockMs, saveClock, maxQueuedBytes, retention });
  } catch (error) {
    await executor[Symbol.asyncDispose]();
    throw error;
  }
}
