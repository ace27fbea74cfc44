import type { Writable } from "node:stream";
import { ChannelsOpenError, ChannelsUnavailableError } from "../../store/channels/channels.ts";
import { InboxOpenError, InboxUnavailableError } from "../../store/inbox/inbox.ts";
import { type Config, type ConfigOptions, loadConfig } from "../config/config.ts";
import { channelPlace } from "../serve/channel/store.ts";
import { UserError } from "../terminal/user-error.ts";

interface Migrated {
  readonly from: number;
  readonly to: number;
}

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

interface Done extends Migrated {
  readonly what: string;
}

/** Prints the result of a migration; null means that there is no schema. */
async function report(stdout: Writable, what: string, migrate: () => Promise<Done | null>): Promise<void> {
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

async function migrateInbox({ webhook: { inbox } }: Config): Promise<Done | null> {
  if (inbox.driver === "sqlite") return null;
  const { url = "", schema } = inbox;
  const { migrate } = await import("../../store/inbox/postgres/open.ts");
  return { what: `schema "${schema}"`, ...(await asUserError(() => migrate({ url }, schema))) };
}

async function migrateChannels(config: Config): Promise<Done | null> {
  const place = channelPlace(config);
  if (place.driver === "sqlite") return null;
  const { migrate } = await import("../../store/channels/postgres/open.ts");
  const { url, schema } = place;
  return { what: `channels in schema "${schema}"`, ...(await asUserError(() => migrate({ url }, schema))) };
}

async function asUserError(work: () => Promise<Migrated>): Promise<Migrated> {
  try {
    return await work();
  } catch (error) {
    const kinds = [InboxOpenError, InboxUnavailableError, ChannelsOpenError, ChannelsUnavailableError];
    if (!kinds.some((kind) => error instanceof kind)) throw error;
    throw new UserError((error as Error).message, { cause: error });
  }
}
