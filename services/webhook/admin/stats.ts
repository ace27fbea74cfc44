import { create } from "@bufbuild/protobuf";
import {
  BreakerState,
  type TargetBreaker,
  TargetBreakerSchema,
} from "../../../gen/engage/webhook/v1/delivery_pb.ts";
import type { Counts, InboxHealth } from "../../../store/inbox/inbox.ts";
import type { LaneState } from "../delivery/observer.ts";
import { timestampOf } from "../mapping/timestamp.ts";

export function toTargetStats(counts: Counts) {
  const { channel, target, accepted, delivered, dead, pending } = counts;
  return {
    channel,
    target,
    accepted: BigInt(accepted),
    delivered: BigInt(delivered),
    dead: BigInt(dead),
    pending: BigInt(pending),
  };
}

export function toInboxStats(health: InboxHealth, nowMs: number) {
  const { writable, reason, oldestPendingMs, usedBytes, freeBytes } = health;
  return {
    writable,
    reason: reason ?? "",
    ...(oldestPendingMs !== null && { oldestPendingTime: timestampOf(nowMs - oldestPendingMs) }),
    ...(usedBytes !== null && { usedBytes: BigInt(usedBytes) }),
    ...(freeBytes !== null && { freeBytes: BigInt(freeBytes) }),
  };
}

const breakerStates = {
  closed: BreakerState.CLOSED,
  open: BreakerState.OPEN,
  "half-open": BreakerState.HALF_OPEN,
} as const;

type BreakerOfLane = Pick<LaneState, "target" | "breaker" | "openedMs" | "nextTryMs">;

/**
 * Describes the breakers of lanes, by target.
 * @param aheadMs how far the time since 1970 is ahead of the monotonic clock
 */
export function toTargetBreakers(lanes: readonly BreakerOfLane[], aheadMs: number): TargetBreaker[] {
  return lanes
    .toSorted((a, b) => (a.target < b.target ? -1 : 1))
    .map((lane) => toTargetBreaker(lane, aheadMs));
}

function toTargetBreaker(
  { target, breaker, openedMs, nextTryMs }: BreakerOfLane,
  aheadMs: number,
): TargetBreaker {
  return create(TargetBreakerSchema, {
    target,
    state: breakerStates[breaker],
    ...(openedMs !== undefined && { openTime: timestampOf(openedMs + aheadMs) }),
    ...(nextTryMs !== undefined && { nextTryTime: timestampOf(nextTryMs + aheadMs) }),
  });
}
