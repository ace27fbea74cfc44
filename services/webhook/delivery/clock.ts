import { setTimeout as sleep } from "node:timers/promises";

/** Time as the delivery sees it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`, or as soon as the signal is aborted. Never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** What a timer in Node takes at most. */
const maxTimerMs = 2_147_483_647;

/**
 * Time that only goes forward: setting the computer's clock back must not let
 * more messages through in a second.
 */
export function createSystemClock(): Clock {
  const startMs = Date.now() - performance.now();
  return {
    now: () => startMs + performance.now(),
    wait: (ms, signal) =>
      sleep(Math.min(Math.max(ms, 0), maxTimerMs), undefined, { signal }).catch(() => undefined),
  };
}
