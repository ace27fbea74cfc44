import type { Logger } from "pino";
import type { ReadyCheck } from "../../../gateway/health/ready-checks.ts";
import type { Inbox } from "../../../store/inbox/inbox.ts";

/**
 * Ready while batches can be stored and, where a limit is set, while no message
 * has waited for longer. Why a batch can't be stored names files and hosts, so
 * the log tells it and the answer doesn't.
 * @param maxPendingAgeMs undefined: any age is fine
 */
export function createInboxCheck(
  inbox: Pick<Inbox, "health">,
  maxPendingAgeMs: number | undefined,
  logger: Logger,
): ReadyCheck {
  let lastReason: string | null = null;
  return async (signal) => {
    const { writable, reason, oldestPendingMs } = await inbox.health({ signal });
    if (reason !== lastReason && reason !== null) logger.error({ reason }, "inbox takes no batches");
    if (reason === null && lastReason !== null) logger.info("inbox takes batches again");
    lastReason = reason;
    if (!writable) return "takes no batches";
    if (maxPendingAgeMs === undefined || (oldestPendingMs ?? 0) <= maxPendingAgeMs) return undefined;
    return `a message has waited for longer than ${maxPendingAgeMs} ms`;
  };
}
