import type { BreakerState } from "../../../base/async/breaker.ts";

/** Told what happens at the targets, for metrics and logs. Must not throw. */
export interface DeliveryObserver {
  /** A call of a target has ended. */
  called(target: string, call: CallReport): void;
  /** The breaker of a target has changed. */
  breakerChanged(target: string, state: BreakerState["kind"]): void;
  /** Messages that had been leased were given to somebody else, who decides about them. */
  leaseLost(target: string, messages: number): void;
  /** The inbox did not do what it was asked; it is asked again. */
  inboxFailed(
    target: string,
    operation: "lease" | "begin" | "extend" | "settle" | "share a rate",
    error: unknown,
  ): void;
}

export interface CallReport {
  readonly durationMs: number;
  readonly done: number;
  readonly retry: number;
  readonly dead: number;
  /** A reason of one that is not done. */
  readonly reason: string | undefined;
}

/** What a lane is doing, for gauges. */
export interface LaneState {
  readonly target: string;
  readonly breaker: BreakerState["kind"];
  /** Calls under way. */
  readonly calls: number;
  /** Messages leased and not settled. */
  readonly held: number;
}
