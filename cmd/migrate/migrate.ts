import type { Writable } from "node:stream";
import { type ConfigOptions, loadConfig } from "../config/config.ts";
import {
  type Migration,
  migrateChannels,
  migrateEvents,
  migrateInbox,
  migrateShared,
} from "../serve/data/migrate.ts";

/**
 * Upgrades the tables of all stores in PostgreSQL and ClickHouse to this version. Replicas of the
 * previous version cannot start on them any more.
 * @throws UserError when the database is unavailable or newer
 */
export async function runMigrate(options: ConfigOptions, stdout: Writable, json = false): Promise<void> {
  const { config } = loadConfig(options);
  const report = (what: string, done: Migration | null): void => {
    stdout.write(json ? `${JSON.stringify({ store: what, ...done })}\n` : describe(what, done));
  };
  report("an inbox", await migrateInbox(config));
  report("a channel store", await migrateChannels(config));
  for await (const done of migrateShared(config)) report(done.what, done);
  for await (const done of migrateEvents(config)) report(done.what, done);
}

/** Describes the result of a migration; null means that there is no schema. */
function describe(what: string, done: Migration | null): string {
  if (done === null) return `nothing to do: ${what} in a SQLite file is upgraded when it is opened\n`;
  const { from, to } = done;
  return from === to
    ? `nothing to do: ${done.what} has version ${to}\n`
    : `${done.what} was upgraded from version ${from} to ${to}\n`;
}
