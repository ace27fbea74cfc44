import { resolve } from "node:path";
import type { FileHolds } from "../../../base/files/file-holds.ts";
import type { Operations } from "../operations.ts";
import type { MarkSetup } from "./commit-mark.ts";
import { DiskGuard } from "./disk-guard.ts";
import { SqliteExecutor } from "./executor.ts";
import type { SqliteStore } from "./sqlite.ts";
import type { QuietTimes, ThreadModule } from "./thread-on-demand.ts";

/** The options of a store's file. */
export interface SqliteFileOptions {
  /**
   * The database file; a missing folder is created. Beside it are the write-ahead log (`-wal`), the
   * reserve (`.reserve`) and the holder's process id (`.pid`). The disk must be local: network file
   * systems do not implement locks and syncs reliably.
   */
  readonly path: string;
  /** The minimum of free disk space; below it no data is accepted, and stored work continues. Default 256 MiB. */
  readonly minFreeBytes?: number;
  /** The maximum size of the file; no data is accepted beyond it. Default null: no limit. */
  readonly maxBytes?: number | null;
  /** Disk space reserved for settling and pruning when the disk is full. 0: none. */
  readonly reserveBytes?: number;
  /** The size of the write-ahead log, which stays below three times this plus the size of one body. */
  readonly maxWalBytes?: number;
  /** How long a commit waits for more requests when the last group had several. */
  readonly lingerMs?: number;
  /** How long to wait for another process to release the file. Default 2 s. */
  readonly lockWaitMs?: number;
  /** Whether opening reads the whole file for damage. Default false. */
  readonly checkAtOpen?: boolean;
  /** The mark beside the file by which a start detects lost commits. Default: none. */
  readonly mark?: MarkSetup;
  /** After how long without work the thread ends. Default: that of the store. */
  readonly quiet?: QuietTimes | undefined;
  /** Lets the file be copied while the store is open. */
  readonly holds?: FileHolds | undefined;
  /** Returns the bytes that a process without privileges may still write to the disk of a path. */
  readonly freeBytes?: (path: string) => number;
}

/** Without quiet times, the thread stays until the store is closed. */
export type SqliteFileDefaults = Required<
  Pick<SqliteFileOptions, "reserveBytes" | "maxWalBytes" | "lingerMs">
> &
  Pick<SqliteFileOptions, "quiet">;

export const mib = 1_048_576;

/**
 * Opens the file of a store in a thread of its own.
 * @throws OpenError of the store
 */
export async function openSqliteExecutor<O extends Operations>(
  store: SqliteStore & { readonly operations: O },
  module: ThreadModule,
  options: SqliteFileOptions,
  defaults: SqliteFileDefaults,
): Promise<SqliteExecutor<O>> {
  const path = resolve(options.path);
  const {
    maxWalBytes = defaults.maxWalBytes,
    minFreeBytes = 256 * mib,
    maxBytes = null,
    freeBytes,
  } = options;
  const { faults } = store;
  const guard = new DiskGuard({ path, faults, maxWalBytes, minFreeBytes, maxBytes, freeBytes });
  const setup = {
    path,
    maxWalBytes,
    mark: options.mark,
    lockWaitMs: options.lockWaitMs ?? 2_000,
    checkAtOpen: options.checkAtOpen ?? false,
    lingerMs: options.lingerMs ?? defaults.lingerMs,
    reserveBytes: options.reserveBytes ?? defaults.reserveBytes,
  };
  const thread = { module, setup, quiet: options.quiet ?? defaults.quiet };
  const executor = new SqliteExecutor(store, thread, guard, options.holds);
  await executor.open();
  return executor;
}
