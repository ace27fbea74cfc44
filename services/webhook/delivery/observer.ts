import type { BreakerState } from "../../../base/async/breaker.ts";

/** Receives the events of targets, for metrics and logs. The methods must not throw. */
export interface DeliveryObserver {
  /** A call of a target has ended. */
  called(target: string, call: CallReport): void;
  /** The breaker of a target has changed. */
  breakerChanged(target: string, state: BreakerState["kind"]): void;
  /** The lease of messages was lost; another process decides their outcome. */
  leaseLost(target: string, messages: number): void;
  /** An operation of the inbox failed and will be retried. */
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
  /** The reason of a message that is not done. */
  readonly reason: string | undefined;
  /** The trace of the messages; undefined: none. */
  readonly traceId?: string | undefined;
}

/** The state of a lane, for gauges and statistics. Times are those of the monotonic clock. */
export interface LaneState {
  readonly target: string;
  readonly breaker: BreakerState["kind"];
  /** When the breaker opened; undefined while it is closed. */
  readonly openedMs: number | undefined;
  /** The end of the wait of an open breaker. */
  readonly nextTryMs: number | undefined;
  /** Calls in flight. */
  readonly calls: number;
  /** Messages leased and not settled. */
  readonly held: number;
}
