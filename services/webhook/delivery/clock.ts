import { setTimeout as sleep } from "node:timers/promises";

/** Time as the delivery sees it. */
export interface Clock {
  /** Milliseconds since 1970, as the inbox counts them. May jump when the computer's clock is set. */
  now(): number;
  /** Milliseconds since some moment; only goes forward, for what must not jump. */
  monotonicMs(): number;
  /** Resolves after `ms`, or as soon as the signal is aborted. Never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** What a timer in Node takes at most. */
const maxTimerMs = 2_147_483_647;

export function createSystemClock(): Clock {
  return {
    now: Date.now,
    monotonicMs: () => performance.now(),
    wait: (ms, signal) =>
      sleep(Math.min(Math.max(ms, 0), maxTimerMs), undefined, { signal }).catch(() => undefined),
  };
}
