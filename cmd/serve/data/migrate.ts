import { ChannelsOpenError, ChannelsUnavailableError } from "../../../store/channels/channels.ts";
import { InboxOpenError, InboxUnavailableError } from "../../../store/inbox/inbox.ts";
import type { Config } from "../../config/config.ts";
import { UserError } from "../../terminal/user-error.ts";
import { channelPlace } from "../channel/store.ts";

interface Migrated {
  readonly from: number;
  readonly to: number;
}

/** The versions of a schema before and after an upgrade. */
export interface Migration extends Migrated {
  readonly what: string;
}

/** Upgrades the schema of the inbox. Returns null when the inbox is a file. @throws UserError */
export async function migrateInbox({ webhook: { inbox } }: Config): Promise<Migration | null> {
  if (inbox.driver === "sqlite") return null;
  const { url = "", schema } = inbox;
  const { migrate } = await import("../../../store/inbox/postgres/open.ts");
  return { what: `schema "${schema}"`, ...(await asUserError(() => migrate({ url }, schema))) };
}

/** Upgrades the schema of channels. Returns null when they are in a file. @throws UserError */
export async function migrateChannels(config: Config): Promise<Migration | null> {
  const place = channelPlace(config);
  if (place.driver === "sqlite") return null;
  const { migrate } = await import("../../../store/channels/postgres/open.ts");
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
