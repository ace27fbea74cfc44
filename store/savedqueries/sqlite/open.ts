import { workerUrl } from "../../../base/package/root.ts";
import { mib, openSqliteExecutor, type SqliteFileOptions } from "../../sql/sqlite/open.ts";
import type { SavedQueryStore } from "../savedqueries.ts";
import { createSqlSavedQueries } from "../sql-saved-queries.ts";
import { savedQueryStore } from "./store.ts";

/** Defaults: no reserve, a write-ahead log of 1 MiB, and no linger. */
export interface SqliteSavedQueriesOptions extends SqliteFileOptions {
  readonly now?: () => number;
}

const thread = { url: workerUrl("store/savedqueries/sqlite/worker"), name: "engage-savedqueries" };
const defaults = { reserveBytes: 0, maxWalBytes: mib, lingerMs: 0 };

/**
 * Opens the store in a SQLite file, which this process then holds exclusively. All SQL runs in one thread; a call
 * resolves after its commit has been synced to disk.
 *
 * @throws SavedQueriesOpenError when another process has the file, or it is damaged, of a newer version, not of this
 * store, or in a folder which is not writable.
 */
export async function openSqliteSavedQueries(options: SqliteSavedQueriesOptions): Promise<SavedQueryStore> {
  const { now = Date.now } = options;
  const executor = await openSqliteExecutor(savedQueryStore, thread, options, defaults);
  return createSqlSavedQueries(executor, now);
}
