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
 * Brings the schemas of inbox and channels up to this version. Replicas of the
 * version before don't start on it any more, so run it while none is about to.
 * @throws UserError when the database is away or newer
 */
export async function runMigrate(options: ConfigOptions, stdout: Writable): Promise<void> {
  const { config } = loadConfig(options);
  await tell(stdout, "an inbox", () => migrateInbox(config));
  await tell(stdout, "a store of channels", () => migrateChannels(config));
}

interface Done extends Migrated {
  readonly what: string;
}

/** Null: there is no schema. */
async function tell(stdout: Writable, what: string, migrate: () => Promise<Done | null>): Promise<void> {
  const done = await migrate();
  if (done === null) {
    stdout.write(`nothing to do: ${what} in a SQLite file is brought up to date when it is opened\n`);
    return;
  }
  const { from, to } = done;
  stdout.write(
    from === to
      ? `${done.what} has version ${to}, there is nothing to do\n`
      : `${done.what} was brought from version ${from} to ${to}\n`,
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
