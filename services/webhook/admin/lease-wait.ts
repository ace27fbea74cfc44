import { backoffMs } from "../../../base/async/backoff.ts";
import type { Clock } from "../../../base/async/clock.ts";
import type { Inbox, LeaseRequest, LeaseResult, WorkItem } from "../../../store/inbox/inbox.ts";
import { overdueReason, type RetryPolicy } from "../delivery/retry-policy.ts";

export interface WaitOptions {
  readonly inbox: Pick<Inbox, "lease" | "settle" | "onWork" | "clockMs">;
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  /** Aborted when the service is about to stop; then calls do not wait any more. */
  readonly stopSignal: AbortSignal;
}

export interface LeaseWait {
  /**
   * Leases messages, and waits for some if there are none. An aborted call leaves nothing leased.
   */
  lease(request: LeaseRequest, waitMs: number, signal: AbortSignal): Promise<readonly WorkItem[]>;
}

/** Times between two polls, which find the work of other replicas and ended leases. */
const idleDelays = { minDelayMs: 20, maxDelayMs: 1_000 };

export function openWait({ inbox, policy, clock, stopSignal }: WaitOptions): LeaseWait {
  return {
    async lease(request, waitMs, signal) {
      const untilMs = clock.monotonicMs() + waitMs;
      let sleep = new AbortController();
      const wake = (): void => sleep.abort();
      using _hints = inbox.onWork((target) => target === request.target && wake());
      for (const one of [signal, stopSignal]) one.addEventListener("abort", wake, { once: true });
      try {
        for (let poll = 1; ; poll++) {
          signal.throwIfAborted();
          sleep = new AbortController();
          // Not aborted by the signal: messages that the inbox has leased must be known to be returned.
          const result = await inbox.lease(request);
          const items = await withoutOverdue(result.items);
          if (signal.aborted) await release(items);
          signal.throwIfAborted();
          const leftMs = untilMs - clock.monotonicMs();
          if (items.length > 0 || leftMs <= 0 || stopSignal.aborted) return items;
          await clock.wait(Math.min(leftMs, pauseMs(result, backoffMs(poll, idleDelays))), sleep.signal);
        }
      } finally {
        for (const one of [signal, stopSignal]) one.removeEventListener("abort", wake);
      }
    },
  };

  function pauseMs({ items, nextDueAtMs }: LeaseResult, idleMs: number): number {
    if (items.length > 0) return 0;
    return nextDueAtMs === null ? idleMs : Math.min(idleMs, Math.max(1, nextDueAtMs - inbox.clockMs()));
  }

  /** Settles messages as dead letters that have no attempts or no time left. */
  async function withoutOverdue(items: readonly WorkItem[]): Promise<readonly WorkItem[]> {
    const usable: WorkItem[] = [];
    for (const item of items) {
      const reason = overdueReason(item, policy, inbox.clockMs());
      if (reason === undefined) usable.push(item);
      else
        await inbox.settle(
          item.token,
          item.elements.map(({ index }) => ({ index, kind: "dead", reason, isUnsent: true })),
        );
    }
    return usable;
  }

  async function release(items: readonly WorkItem[]): Promise<void> {
    for (const { token, elements } of items) {
      await inbox.settle(
        token,
        elements.map(({ index }) => ({ index, kind: "returned" })),
      );
    }
  }
}
