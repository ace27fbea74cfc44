export interface BreakerPolicy {
  /** It opens after this many calls in a row have failed. */
  readonly failures: number;
  /** How long it stays open the first time; then twice as long each time. */
  readonly openMs: number;
  readonly maxOpenMs: number;
}

export type BreakerState = "closed" | "open" | "half-open";

/** `none`: the caller gave it up, which says nothing of the platform. */
export type CallOutcome = "ok" | "failed" | "none";

/** One call that was let through. */
export interface BreakerPass {
  /** The platform has begun to answer, which is all a probe has to show: a download may take hours to end. */
  alive(): void;
  /** Only the first one counts. */
  end(outcome: CallOutcome): void;
}

export interface Breaker {
  /** Undefined while no call may begin. */
  enter(): BreakerPass | undefined;
  /** Until the next probe; 0 unless open. */
  waitMs(): number;
}

/**
 * Keeps calls away from a platform that is down: after failures in a row none
 * is made for a while, then one as a probe. Written here because a breaker
 * around promises, as libraries have it, has two outcomes: a caller who leaves
 * would count as one of them, and the probe of a download would end with its
 * last byte.
 */
export function createBreaker(
  policy: BreakerPolicy,
  now: () => number,
  changed: (state: BreakerState) => void = () => {},
): Breaker {
  let state: BreakerState = "closed";
  let failures = 0;
  let trips = 0;
  let untilMs = 0;

  const turn = (to: BreakerState): void => {
    if (state === to) return;
    state = to;
    changed(to);
  };
  const open = (): void => {
    untilMs = now() + Math.min(policy.maxOpenMs, policy.openMs * 2 ** Math.min(trips, 30));
    trips++;
    turn("open");
  };
  const fail = (): void => {
    failures++;
    if (failures >= policy.failures) open();
  };

  const call = (): BreakerPass => {
    let isEnded = false;
    return {
      alive: () => {},
      end(outcome) {
        if (isEnded) return;
        isEnded = true;
        if (state !== "closed" || outcome === "none") return;
        if (outcome === "failed") return fail();
        failures = 0;
        trips = 0;
      },
    };
  };
  const probe = (): BreakerPass => {
    const after = call();
    let isProbing = true;
    return {
      alive() {
        if (!isProbing) return;
        isProbing = false;
        // One more failure, also of this call's rest, opens it again.
        failures = policy.failures - 1;
        turn("closed");
      },
      end(outcome) {
        if (!isProbing) return after.end(outcome);
        isProbing = false;
        if (outcome === "failed") return open();
        if (outcome === "ok") failures = trips = 0;
        // Given up: the next call is the probe.
        else untilMs = now();
        turn(outcome === "ok" ? "closed" : "open");
      },
    };
  };
  return {
    enter() {
      if (state === "closed") return call();
      if (state === "half-open" || now() < untilMs) return undefined;
      turn("half-open");
      return probe();
    },
    waitMs: () => (state === "open" ? Math.max(0, untilMs - now()) : 0),
  };
}
