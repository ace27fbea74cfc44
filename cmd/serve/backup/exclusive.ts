import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isBusy } from "../../../store/sql/sqlite/errors.ts";
import { readHolder } from "../../../store/sql/sqlite/file.ts";
import type { Config } from "../../config/config.ts";
import { channelPlace, inboxFile } from "../../config/resolve.ts";
import { UserError } from "../../terminal/user-error.ts";
import { savedQueriesFile } from "../analysis/saved-queries.ts";
import { lockFolder } from "../data/lock.ts";
import { sharedDatabase } from "../shared/databases.ts";

/** @throws UserError when nothing in the data folder has to be kept */
export function requireDataFolder(config: Config, command: string): void {
  if (sharedDatabase(config) === undefined) return;
  const advice = "stop the replicas and copy PostgreSQL and ClickHouse together, with their own tools";
  throw new UserError(`${command} is for data folders; stores.driver is "shared": ${advice}`);
}

/** Returns what a configuration stores in databases, which no backup of the data folder has. */
export function listElsewhere(config: Config): readonly string[] {
  const isInPostgres = {
    "the inbox": config.webhook.inbox.driver === "postgres",
    "push channels": channelPlace(config).driver === "postgres",
  };
  const inPostgres = Object.entries(isInPostgres).filter(([, is]) => is);
  return [
    ...inPostgres.map(([what]) => `${what} in PostgreSQL`),
    ...(config.events.driver === "clickhouse" ? ["events in ClickHouse and PostgreSQL"] : []),
  ];
}

/**
 * Checks that no server uses the data folder, and keeps those away that store events.
 * @throws UserError naming the process that uses it
 */
export function lockData(config: Config): Disposable {
  const locked = new DisposableStack();
  if (config.events.driver === "duckdb") locked.use(lockFolder(join(config.data, "events")));
  try {
    const channels = channelPlace(config);
    if (config.webhook.inbox.driver === "sqlite") requireFree(inboxFile(config));
    if (channels.driver === "sqlite") requireFree(channels.file);
    requireFree(savedQueriesFile(config));
  } catch (error) {
    locked.dispose();
    throw error;
  }
  return locked;
}

function requireFree(path: string): void {
  if (!existsSync(path)) return;
  const db = new DatabaseSync(path, { timeout: 2_000 });
  try {
    db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; ROLLBACK");
  } catch (error) {
    // Damage is found when the copy is opened.
    if (isBusy(error)) throw new UserError(`"${path}" is in use by ${readHolder(path)}`, { cause: error });
  } finally {
    db.close();
  }
}
