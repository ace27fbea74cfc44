import type { Counts, InboxHealth } from "../../../store/inbox/inbox.ts";
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
