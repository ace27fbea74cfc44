import type { BreakerPolicy } from "../../../base/async/breaker.ts";
import type { Clock } from "../../../base/async/clock.ts";
import type { Tracer } from "../../../base/trace/trace.ts";
import type { AttemptRecord, Inbox } from "../../../store/inbox/inbox.ts";
import type { HandedBatch, Target } from "../targets/target.ts";
import type { DeliveryObserver } from "./observer.ts";
import type { RetryPolicy } from "./retry-policy.ts";

/** How messages are delivered to a target. */
export interface LanePolicy {
  /** Concurrent calls. */
  readonly concurrency: number;
  /** Calls that begin in any one second, over all processes; undefined: no limit. */
  readonly maxPerSecond: number | undefined;
  /** Limit of one call. */
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  readonly breaker: BreakerPolicy;
}

export interface LaneOptions {
  readonly name: string;
  readonly target: Target;
  readonly policy: LanePolicy;
  readonly inbox: Pick<
    Inbox,
    "lease" | "begin" | "extend" | "settle" | "clockMs" | "shareRate" | "leaveRate"
  >;
  readonly clock: Clock;
  /** 0 to below 1. */
  readonly random: () => number;
  readonly observer: DeliveryObserver;
  /** Called with the attempts of each call that has ended. */
  readonly attempted?: Attempted | undefined;
  /** Continues the traces of messages. Default: they are only passed on. */
  readonly tracer?: Tracer | undefined;
}

export type Attempted = (
  batch: Pick<HandedBatch, "batchId" | "channel" | "target" | "attempt">,
  attempts: readonly AttemptRecord[],
) => void;
