import { join } from "node:path";
import { type Inbox, InboxOpenError, InboxUnavailableError } from "../../../store/inbox/inbox.ts";
import type { Config } from "../../config/config.ts";
import { UserError } from "../../terminal/user-error.ts";
import { markOf } from "../data/marks.ts";

/**
 * Opens the inbox that the configuration names. A database that is unavailable is
 * waited for: until then the inbox takes no batches.
 * @throws UserError when it can't be opened
 */
export async function openInbox(config: Config): Promise<Inbox> {
  try {
    return await (config.webhook.inbox.driver === "sqlite" ? openFile(config) : openSchema(config));
  } catch (error) {
    if (!(error instanceof InboxOpenError || error instanceof InboxUnavailableError)) throw error;
    throw new UserError(error.message, { cause: error });
  }
}

export function inboxFile({ data, webhook: { inbox } }: Config): string {
  return inbox.file ?? join(data, "inbox", "inbox.db");
}

async function openFile(config: Config): Promise<Inbox> {
  const { openSqliteInbox } = await import("../../../store/inbox/sqlite/open.ts");
  const { minFreeBytes, maxBytes = null, retention } = config.webhook.inbox;
  const path = inboxFile(config);
  return openSqliteInbox({ path, minFreeBytes, maxBytes, retention, mark: markOf(config, "inbox", path) });
}

async function openSchema({ webhook: { inbox } }: Config): Promise<Inbox> {
  const { openPostgresInbox } = await import("../../../store/inbox/postgres/open.ts");
  const { url = "", schema, maxConnections, maxBytes = null, retention } = inbox;
  return openPostgresInbox({ url, schema, maxConnections, maxBytes, retention, isAwaited: true });
}
