import type { StoreFaults } from "../faults.ts";
import type { Operations } from "../operations.ts";
import type { FileSchema } from "./file.ts";

/**
 * Describes one kind of store in SQLite; the inbox and the channel store are such stores.
 *
 * `open.ts` opens a store. A caller's operation passes through these files: `executor.ts` copies its
 * arguments and sends them to the store's thread (`messages.ts`), which `thread-on-demand.ts` starts and
 * ends. There `thread.ts` collects requests, `group-commit.ts` commits a group of them, and `database.ts`
 * runs their statements. `file.ts` opens, locks and migrates the file, `commit-mark.ts` detects lost
 * commits, `disk-guard.ts` and `disk-reserve.ts` handle a full disk, and `errors.ts` classifies SQLite's
 * errors and passes them between the threads.
 */
export interface SqliteStore extends FileSchema {
  readonly faults: StoreFaults;
  readonly operations: Operations;
  /**
   * Operations which store data, such as bodies. They are refused when disk space is short, while those
   * which free space or need little continue.
   */
  readonly storesData: ReadonlySet<string>;
  /**
   * Numbered tables (AUTOINCREMENT). The last acknowledged number of each is in the mark, and messages
   * about lost commits name it.
   */
  readonly numbered: readonly string[];
  /** Operations which a power failure may undo, but not the end of the process: their commits are not synced. */
  readonly unsynced?: ReadonlySet<string>;
}
