import type { Writable } from "node:stream";
import { InboxOpenError, InboxUnavailableError } from "../store/inbox/inbox.ts";
import { type ConfigOptions, loadConfig } from "./config.ts";
import { UserError } from "./user-error.ts";

/**
 * Brings the inbox's schema up to this version. Replicas of the version before
 * don't start on it any more, so run it while none is about to.
 * @throws UserError when the database is away or newer
 */
export async function runMigrate(options: ConfigOptions, stdout: Writable): Promise<void> {
  const { inbox } = loadConfig(options).config.webhook;
  if (inbox.driver === "sqlite") {
    stdout.write("nothing to do: an inbox in a SQLite file is brought up to date when it is opened\n");
    return;
  }
  const { url = "", schema } = inbox;
  const { migrate } = await import("../store/inbox/postgres/migrate.ts");
  try {
    const { from, to } = await migrate({ url }, schema);
    stdout.write(
      from === to
        ? `schema "${schema}" has version ${to}, there is nothing to do\n`
        : `schema "${schema}" was brought from version ${from} to ${to}\n`,
    );
  } catch (error) {
    if (!(error instanceof InboxOpenError || error instanceof InboxUnavailableError)) throw error;
    throw new UserError(error.message, { cause: error });
  }
}
