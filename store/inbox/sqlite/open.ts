import { workerUrl } from "../../../base/package/root.ts";
import { createPersistentClock, systemPorts } from "../../sql/persistent-clock.ts";
import { mib, openSqliteExecutor, type SqliteFileOptions } from "../../sql/sqlite/open.ts";
import { defaultRetention, type Inbox, type InboxRetention } from "../inbox.ts";
import { defaultMaxQueuedBytes } from "../sql/options.ts";
import { SqlInbox } from "../sql/sql-inbox.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { inboxStore } from "./store.ts";

/** Defaults: a reserve of 16 MiB, a write-ahead log of 16 MiB, and a linger of 5 ms. */
export interface SqliteInboxOptions extends SqliteFileOptions {
  readonly retention?: Partial<InboxRetention>;
  /** The maximum bytes of bodies which wait to be written; more is refused. Default 64 MiB. */
  readonly maxQueuedBytes?: number;
  /** Milliseconds since 1970, for times of display. */
  readonly now?: () => number;
  /**
   * The clock of leases, waits, ages and retention. Default: `now` when it is given, otherwise a clock
   * which is never set.
   */
  readonly clockMs?: () => number;
}

const thread = { url: workerUrl("store/inbox/sqlite/worker"), name: "engage-inbox" };
/**
 * A thread takes 12 MiB, and 50 ms of processor time to start. The first ends before the main thread collects what
 * the start has left, since V8 keeps 4 MiB of a thread's heap until then.
 */
const quiet = { firstMs: 500, laterMs: 30_000 };
const defaults = { reserveBytes: 16 * mib, maxWalBytes: 16 * mib, lingerMs: 5, quiet };

/**
 * Opens an inbox in a SQLite file, which this process then holds exclusively. All SQL runs in one
 * thread, which ends while nothing needs it; concurrent requests share a commit, and each is acknowledged
 * after the commit has been synced to disk. Leases of a previous process are over: it has ended, and its calls with it.
 *
 * @throws InboxOpenError when another process has the file, or it is damaged, of a newer version, not
 * an inbox, or in a folder which is not writable.
 */
export async function openSqliteInbox(options: SqliteInboxOptions): Promise<Inbox> {
  const { now = Date.now, maxQueuedBytes = defaultMaxQueuedBytes } = options;
  const executor = new KeptAnswers(await openSqliteExecutor(inboxStore, thread, options, defaults));
  const retention = () => ({ ...defaultRetention, ...options.retention });
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
