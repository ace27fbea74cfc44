import type { Logger } from "pino";
import { systemClock } from "../../../base/async/clock.ts";
import { InboxUnavailableError } from "../../../store/inbox/inbox.ts";

const lookMs = 1_000;
/** A line at the first look, then about so often. */
const linesEveryMs = 30_000;

/**
 * Runs something that reads the inbox until it has read it once. While it can't, the log says
 * why and that it is waited for; `/readyz` says so by the inbox's own check.
 */
export function startWaiting(logger: Logger, onReadable: () => Promise<void>): AsyncDisposable {
  const stop = new AbortController();
  const running = wait();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };

  async function wait(): Promise<void> {
    let toldMs = Number.NEGATIVE_INFINITY;
    while (!stop.signal.aborted) {
      const failure = await tryOnce();
      if (failure === undefined) {
        if (toldMs > Number.NEGATIVE_INFINITY) logger.info("the inbox can be read now");
        return;
      }
      const nowMs = systemClock.monotonicMs();
      if (nowMs - toldMs >= linesEveryMs) {
        logger.warn({ reason: failure.message }, "waiting for the inbox, no batches are taken");
        toldMs = nowMs;
      }
      await systemClock.wait(lookMs, stop.signal);
    }
  }

  /** Why the inbox can't be read yet. */
  async function tryOnce(): Promise<Error | undefined> {
    try {
      await onReadable();
      return undefined;
    } catch (error) {
      if (error instanceof InboxUnavailableError) return error;
      logger.warn({ err: error }, "what waits in the inbox is not known");
      return undefined;
    }
  }
}
