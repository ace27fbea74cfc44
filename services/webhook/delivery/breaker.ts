/**
 * Keeps calls away from a target that is down. closed: calls go through.
 * open: none do, until a time. half-open: one call is under way to see whether
 * the target is back.
 */
export type BreakerState =
  | { readonly kind: "closed"; readonly failures: number }
  | { readonly kind: "open"; readonly untilMs: number; readonly trips: number }
  | { readonly kind: "half-open"; readonly trips: number };

export interface BreakerPolicy {
  /** It opens after this many calls in a row have failed. */
  readonly failures: number;
  /** How long it stays open the first time; then twice as long each time. */
  readonly openMs: number;
  readonly maxOpenMs: number;
}

/** A call that was let through. `probe`: its end decides whether the breaker closes. */
export type Admission = "call" | "probe";

/** How a call ended. `none`: it was never made, or given up by us. */
export type CallEnd =
  | { readonly kind: "ok" }
  /** `afterMs`: the target asked not to be called for this long. */
  | { readonly kind: "failed"; readonly afterMs?: number | undefined }
  | { readonly kind: "none" };

export const closedBreaker: BreakerState = { kind: "closed", failures: 0 };

/** Whether a call may begin now. Undefined: no. */
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
  if (end.kind === "ok") return state.failures === 0 ? state : closedBreaker;
  const failures = state.failures + 1;
  const isToOpen = failures >= policy.failures || end.afterMs !== undefined;
  return isToOpen ? open(1, end.afterMs, nowMs, policy) : { kind: "closed", failures };
}

function open(
  trips: number,
  afterMs: number | undefined,
  nowMs: number,
  { openMs, maxOpenMs }: BreakerPolicy,
): BreakerState {
  const ownMs = Math.min(maxOpenMs, openMs * 2 ** Math.min(trips - 1, 30));
  // A wait that the target asks for replaces ours, within the same bound.
  const waitMs = afterMs === undefined ? ownMs : Math.min(maxOpenMs, afterMs);
  return { kind: "open", untilMs: nowMs + waitMs, trips };
}
