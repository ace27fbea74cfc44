import { backoffMs } from "./backoff.ts";

/**
 * A circuit breaker keeps calls away from a receiver that is down. closed: calls
 * go through. open: none do, until a time. half-open: one call is under way to
 * find out whether the receiver works again.
 */
export type BreakerState =
  | { readonly kind: "closed"; readonly failures: number; readonly trips: number }
  | { readonly kind: "open"; readonly untilMs: number; readonly trips: number }
  | { readonly kind: "half-open"; readonly trips: number };

export interface BreakerPolicy {
  /** The breaker opens after this many failures in a row. */
  readonly failures: number;
  /** The time that it stays open at first. The time doubles each time until a call succeeds. */
  readonly openMs: number;
  readonly maxOpenMs: number;
}

/** A call that was let through. `probe`: its end decides whether the breaker closes. */
export type Admission = "call" | "probe";

/** The outcome of a call. `none`: it was not made, or its caller gave it up, which says nothing about the receiver. */
export type CallEnd =
  | { readonly kind: "ok" }
  /** `afterMs`: the receiver asked not to be called for this long. */
  | { readonly kind: "failed"; readonly afterMs?: number | undefined }
  | { readonly kind: "none" };

export const closedBreaker: BreakerState = { kind: "closed", failures: 0, trips: 0 };

/** Decides whether a call may begin now. The admission is undefined if not. */
export function admit(
  state: BreakerState,
  nowMs: number,
): { readonly admission: Admission | undefined; readonly state: BreakerState } {
  if (state.kind === "closed") return { admission: "call", state };
  if (state.kind === "open" && nowMs >= state.untilMs) {
    return { admission: "probe", state: { kind: "half-open", trips: state.trips } };
  }
  return { admission: undefined, state };
}

/** The state after a call has ended. Calls from before it opened change nothing. */
export function settleCall(
  state: BreakerState,
  admission: Admission,
  end: CallEnd,
  nowMs: number,
  policy: BreakerPolicy,
): BreakerState {
  if (state.kind === "open") return state;
  if (state.kind === "half-open") {
    if (admission === "call") return state;
    if (end.kind === "ok") return closedBreaker;
    if (end.kind === "none") return { kind: "open", untilMs: nowMs, trips: state.trips };
    return open(state.trips + 1, end.afterMs, nowMs, policy);
  }
  if (end.kind === "none") return state;
  if (end.kind === "ok") return state.failures === 0 && state.trips === 0 ? state : closedBreaker;
  const failures = state.failures + 1;
  const shouldOpen = failures >= policy.failures || end.afterMs !== undefined;
  return shouldOpen ? open(state.trips + 1, end.afterMs, nowMs, policy) : { ...state, failures };
}

/**
 * The state after a probe has shown that the receiver works, while the call goes
 * on. It is closed, but one more failure, also of this call, opens it again.
 */
function settleProbe(state: BreakerState, policy: BreakerPolicy): BreakerState {
  if (state.kind !== "half-open") return state;
  return { kind: "closed", failures: policy.failures - 1, trips: state.trips };
}

function open(
  trips: number,
  afterMs: number | undefined,
  nowMs: number,
  { openMs, maxOpenMs }: BreakerPolicy,
): BreakerState {
  const ownMs = backoffMs(trips, { minDelayMs: openMs, maxDelayMs: maxOpenMs });
  // A wait that the receiver requests replaces the computed one, within the same bound.
  const waitMs = afterMs === undefined ? ownMs : Math.min(maxOpenMs, afterMs);
  return { kind: "open", untilMs: nowMs + waitMs, trips };
}

/** One call that was let through. */
export interface BreakerPass {
  /** The receiver has begun to reply, which is all that a probe has to show: a download may take hours to end. */
  alive(): void;
  /** Reports the end of the call. Later reports have no effect. */
  end(kind: CallEnd["kind"]): void;
}

export interface Breaker {
  /** Undefined while no call may begin. */
  enter(): BreakerPass | undefined;
  /** Returns the time until the next probe, or 0 if the breaker is not open. */
  waitMs(): number;
}

/**
 * A breaker that keeps its state. It is written here because breakers around
 * promises, as libraries have them, know two outcomes: a caller who leaves would
 * count as one of them, and the probe of a download would end with its last byte.
 * @param onChange called when the kind of the state changes
 */
export function createBreaker(
  policy: BreakerPolicy,
  monotonicMs: () => number,
  onChange: (kind: BreakerState["kind"]) => void = () => {},
): Breaker {
  let state = closedBreaker;
  const change = (next: BreakerState): void => {
    const before = state.kind;
    state = next;
    if (next.kind !== before) onChange(next.kind);
  };
  return {
    enter() {
      const admitted = admit(state, monotonicMs());
      change(admitted.state);
      let { admission } = admitted;
      if (admission === undefined) return undefined;
      let isEnded = false;
      return {
        alive() {
          if (isEnded || admission !== "probe") return;
          admission = "call";
          change(settleProbe(state, policy));
        },
        end(kind) {
          if (isEnded) return;
          isEnded = true;
          change(settleCall(state, admission!, { kind }, monotonicMs(), policy));
        },
      };
    },
    waitMs: () => (state.kind === "open" ? Math.max(0, state.untilMs - monotonicMs()) : 0),
  };
}
