/**
 * Time, as a parameter of what waits or measures. The two clocks are not exchangeable:
 * `now` may jump when the computer's clock is set, so it is only for times that are
 * shown or stored; all else (waits, leases, pacing, ages, retention) goes by `monotonicMs`.
 */
export interface Clock {
  /** Milliseconds since 1970. Jumps when the computer's clock is set. */
  now(): number;
  /** Milliseconds since some moment; never goes back, and does not follow changes of the system time. */
  monotonicMs(): number;
  /** Resolves after `ms`, or as soon as the signal is aborted. Never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls back after `ms`; the function returned cancels that. */
  after(ms: number, call: () => void): () => void;
}

/** Node's timers take no more, and fire at once for a longer time. */
const maxTimerMs = 2_147_483_647;

function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, Math.min(Math.max(0, ms), maxTimerMs));
  return () => clearTimeout(timer);
}

/** `wait` of a clock, by its `after`. */
export function createWait(after: Clock["after"]): Clock["wait"] {
  // Not timers/promises: an abort, the usual end here, would make an error with a stack trace each time.
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

/**
 * A clock that starts at the present time and from then on goes by the monotonic
 * clock: milliseconds since 1970 that never jump within this process. Its distance
 * to the computer's clock is what that was set by since the start.
 */
export function createSteadyNow(clock: Pick<Clock, "now" | "monotonicMs">): () => number {
  const aheadMs = clock.now() - clock.monotonicMs();
  return () => Math.round(aheadMs + clock.monotonicMs());
}

/** A difference below this is the error of measuring, or a clock that is kept right over the network. */
const maxDriftMs = 2_000;

/**
 * The computer's clock, but a jump of it counts only after it has stayed for
 * `settleMs`; until then the time passes as before the jump. For what can't be
 * undone and may wait, such as dropping what is too old.
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
