import type { Clock } from "../../../base/async/clock.ts";
import { SharedRate } from "../../../base/async/shared-rate.ts";
import type { Inbox } from "../../../store/inbox/inbox.ts";
import type { CallRate } from "./call-limiter.ts";

export interface LaneRateOptions {
  /** Name of the target. */
  readonly name: string;
  readonly inbox: Pick<Inbox, "shareRate" | "leaveRate">;
  readonly clock: Clock;
  /** Aborted when no more calls begin. */
  readonly signal: AbortSignal;
  readonly failed: (error: unknown) => void;
}

export interface LaneRate extends CallRate {
  /** Gives the share of this process to the others. */
  leave(): Promise<void>;
}

/** Opens the rate of a target's calls, which all processes with the same inbox share. */
export function openLaneRate(limit: number, options: LaneRateOptions): LaneRate {
  const { name, inbox, clock, signal, failed } = options;
  const rate = new SharedRate({
    shares: {
      shareRate: (request) => inbox.shareRate(name, request),
      leaveRate: (token, afterMs) => inbox.leaveRate(name, token, afterMs),
    },
    clock,
    signal,
    failed,
  });
  return { limit, take: (perSecond, ended) => rate.take(perSecond, ended), leave: () => rate.leave() };
}
