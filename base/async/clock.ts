/**
 * The time, as a parameter of code that waits or measures. The two clocks are not interchangeable: `now` may jump when
 * the computer's clock is set, so it is only for times that are shown or stored. Everything else (waits, leases,
 * pacing, ages, retention) uses `monotonicMs`.
 */
export interface Clock {
  /** Returns milliseconds since 1970. Jumps when the computer's clock is set. */
  now(): number;
  /** Returns milliseconds since some moment. It never decreases, and ignores changes of the system time. */
  monotonicMs(): number;
  /** Resolves after `ms`, or as soon as the signal is aborted. Never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls `call` after `ms`. The returned function cancels the call. */
  after(ms: number, call: () => void): () => void;
}

/** The longest time of Node's timers; with a longer time they fire at once. */
export const maxTimerMs = 2_147_483_647;

function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, Math.min(Math.max(0, ms), maxTimerMs));
  return () => clearTimeout(timer);
}

/** Implements `wait` of a clock with its `after`. */
export function createWait(after: Clock["after"]): Clock["wait"] {
  // Not timers/promises: an abort, which is the usual end here, would create an error with a stack trace.
  return (ms, signal) => {
    if (signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = (): void => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = after(ms, end);
    signal.addEventListener("abort", end);
    return promise;
  };
}

export const systemClock: Clock = {
  now: Date.now,
  monotonicMs: () => performance.now(),
  wait: createWait(after),
  after,
};

/** Smaller differences are errors of measurement, or synchronization over the network. */
const maxDriftMs = 2_000;

/**
 * Returns the computer's clock, in which a jump counts only after it has lasted for `settleMs`; until then time passes
 * as before the jump. It is for actions that cannot be undone and may wait, such as dropping old data.
 */
export function createSettledNow(clock: Pick<Clock, "now" | "monotonicMs">, settleMs: number): () => number {
  let aheadMs = clock.now() - clock.monotonicMs();
  let jump: { readonly aheadMs: number; readonly seenMs: number } | undefined;
  return () => {
    const monotonicMs = clock.monotonicMs();
    const foundMs = clock.now() - monotonicMs;
    if (Math.abs(foundMs - aheadMs) < maxDriftMs) {
      aheadMs = foundMs;
      jump = undefined;
    } else if (jump === undefined || Math.abs(foundMs - jump.aheadMs) >= maxDriftMs) {
      jump = { aheadMs: foundMs, seenMs: monotonicMs };
    } else if (monotonicMs - jump.seenMs >= settleMs) {
      aheadMs = foundMs;
      jump = undefined;
    }
    return Math.round(aheadMs + monotonicMs);
  };
}
