import type { Logger } from "pino";
import { systemClock } from "../../../base/async/clock.ts";
import type { FileHolds } from "../../../base/files/file-holds.ts";
import type { ReadyCheck } from "../../../gateway/health/ready-checks.ts";
import { type Inbox, InboxOpenError, InboxUnavailableError } from "../../../store/inbox/inbox.ts";
import type { Config } from "../../config/config.ts";
import { inboxFile } from "../../config/resolve.ts";
import { UserError } from "../../terminal/user-error.ts";
import { markOf } from "../data/marks.ts";

/**
 * Opens the configured inbox. While its database is unavailable, the inbox
 * accepts no batches and keeps trying to connect.
 * @throws UserError when it cannot be opened
 */
export async function openInbox(config: Config, holds?: FileHolds): Promise<Inbox> {
  try {
    return await (config.webhook.inbox.driver === "sqlite" ? openFile(config, holds) : openSchema(config));
  } catch (error) {
    if (!(error instanceof InboxOpenError || error instanceof InboxUnavailableError)) throw error;
    throw new UserError(error.message, { cause: error });
  }
}

async function openFile(config: Config, holds: FileHolds | undefined): Promise<Inbox> {
  const { openSqliteInbox } = await import("../../../store/inbox/sqlite/open.ts");
  const { minFreeBytes, maxBytes = null, retention } = config.webhook.inbox;
  const path = inboxFile(config);
  const mark = markOf(config, "inbox", path);
  return openSqliteInbox({ path, minFreeBytes, maxBytes, retention, mark, holds });
}

async function openSchema({ webhook: { inbox } }: Config): Promise<Inbox> {
  const { openPostgresInbox } = await import("../../../store/inbox/postgres/open.ts");
  const { url = "", schema, maxConnections, maxBytes = null, retention } = inbox;
  return openPostgresInbox({ url, schema, maxConnections, maxBytes, retention, isAwaited: true });
}

const retryMs = 1_000;
/** The first failure is logged, then about one in this time. */
const logIntervalMs = 30_000;

/**
 * Runs a function that reads the inbox, until it succeeds once. Meanwhile the log
 * reports why it fails; `/readyz` reports it through the check of the inbox.
 */
export function startReading(logger: Logger, read: () => Promise<void>): AsyncDisposable {
  const stop = new AbortController();
  const running = run();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };

  async function run(): Promise<void> {
    let loggedMs = Number.NEGATIVE_INFINITY;
    while (!stop.signal.aborted) {
      const failure = await tryRead();
      if (failure === undefined) {
        if (loggedMs > Number.NEGATIVE_INFINITY) logger.info("the inbox is available now");
        return;
      }
      const nowMs = systemClock.monotonicMs();
      if (nowMs - loggedMs >= logIntervalMs) {
        logger.warn({ reason: failure.message }, "waiting for the inbox, no batches are accepted");
        loggedMs = nowMs;
      }
      await systemClock.wait(retryMs, stop.signal);
    }
  }

  async function tryRead(): Promise<Error | undefined> {
    try {
      await read();
      return undefined;
    } catch (error) {
      if (error instanceof InboxUnavailableError) return error;
      logger.warn({ err: error }, "could not read which messages wait in the inbox");
      return undefined;
    }
  }
}

/**
 * Creates a check that passes while batches can be stored and no message has
 * waited for longer than the limit. The reason why a batch cannot be stored names
 * files and hosts, so it is logged and left out of the response.
 * @param maxPendingAgeMs returns undefined for no limit
 */
export function createInboxCheck(
  inbox: Pick<Inbox, "health">,
  maxPendingAgeMs: () => number | undefined,
  logger: Logger,
): ReadyCheck {
  let lastReason: string | null = null;
  return async (signal) => {
    const { writable, reason, oldestPendingMs } = await inbox.health({ signal });
    if (reason !== lastReason && reason !== null) logger.error({ reason }, "inbox accepts no batches");
    if (reason === null && lastReason !== null) logger.info("inbox accepts batches again");
    lastReason = reason;
    if (!writable) return "accepts no batches";
    const maxMs = maxPendingAgeMs();
    if (maxMs === undefined || (oldestPendingMs ?? 0) <= maxMs) return undefined;
    return `a message has waited for longer than ${maxMs} ms`;
  };
}
