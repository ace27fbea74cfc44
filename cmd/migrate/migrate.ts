import type { Writable } from "node:stream";
import { type ConfigOptions, loadConfig } from "../config/config.ts";
import { type Migration, migrateChannels, migrateInbox } from "../serve/data/migrate.ts";

/**
 * Upgrades the schemas of inbox and channels to this version. Replicas of the
 * previous version cannot start on them any more.
 * @throws UserError when the database is unavailable or newer
 */
export async function runMigrate(options: ConfigOptions, stdout: Writable): Promise<void> {
  const { config } = loadConfig(options);
  await report(stdout, "an inbox", () => migrateInbox(config));
  await report(stdout, "a channel store", () => migrateChannels(config));
}

/** Prints the result of a migration; null means that there is no schema. */
async function report(
  stdout: Writable,
  what: string,
  migrate: () => Promise<Migration | null>,
): Promise<void> {
  const done = await migrate();
  if (done === null) {
    stdout.write(`nothing to do: ${what} in a SQLite file is upgraded when it is opened\n`);
    return;
  }
  const { from, to } = done;
  stdout.write(
    from === to
      ? `nothing to do: ${done.what} has version ${to}\n`
      : `${done.what} was upgraded from version ${from} to ${to}\n`,
  );
}
