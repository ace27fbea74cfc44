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
    // Not timers/promises: an abort, the usual end here, would make an error with a stack trace each time.
    wait(ms, signal) {
      if (signal.aborted) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, Math.min(Math.max(ms, 0), maxTimerMs));
      signal.addEventListener("abort", end);
      return promise;
    },
  };
}
