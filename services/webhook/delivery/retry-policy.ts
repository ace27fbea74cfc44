import type { Delays } from "../../../base/async/backoff.ts";
import { exactCountOf } from "../../../base/text/count.ts";
import { dayMs, hourMs, minuteMs, secondMs } from "../../../base/time/units.ts";
import type { ElementOutcome, WorkItem } from "../../../store/inbox/inbox.ts";
import type { TargetOutcome } from "../targets/target.ts";

/** How often and how long a message is retried. */
export interface RetryPolicy extends Delays {
  readonly maxAttempts: number;
  /** Longest time since the message was accepted. It does not apply to replayed messages. */
  readonly maxAgeMs: number;
}

type AttemptInfo = Pick<WorkItem, "attempt" | "acceptedClockMs" | "replay">;

/**
 * Returns why leased messages must not be retried; undefined if they may. A call counts as an attempt from its
 * beginning, so this also ends messages that crash the process each time.
 * @param nowMs time of the inbox's clock
 */
export function overdueReason(
  item: AttemptInfo & { readonly lastReason: string | null },
  policy: RetryPolicy,
  nowMs: number,
): string | undefined {
  const last = item.lastReason ?? "the last attempt had no result";
  if (item.attempt > policy.maxAttempts)
    return `given up after ${exactCountOf(item.attempt - 1, "attempt")}: ${last}`;
  if (item.replay !== null || nowMs - item.acceptedClockMs <= policy.maxAgeMs) return undefined;
  const failure = item.attempt === 1 ? "" : `: ${last}`;
  return `given up after ${describeAge(policy.maxAgeMs)}${failure}`;
}

/**
 * Converts an outcome of an attempt to the outcome that is settled. `delayMs` is the backoff of the attempt, the same
 * for all elements of an item, so that they stay together; `nowMs` is the time of the inbox's clock.
 */
export function toElementOutcome(
  index: number,
  outcome: TargetOutcome,
  item: AttemptInfo,
  policy: RetryPolicy,
  { nowMs, delayMs }: { readonly nowMs: number; readonly delayMs: number },
): ElementOutcome {
  if (outcome.kind === "done") return { index, kind: "done" };
  if (outcome.kind === "dead") return { index, kind: "dead", reason: outcome.reason };
  const { reason, afterMs } = outcome;
  if (item.attempt >= policy.maxAttempts) {
    return {
      index,
      kind: "dead",
      reason: `given up after ${exactCountOf(item.attempt, "attempt")}: ${reason}`,
    };
  }
  const notBeforeMs = Math.ceil(nowMs + waitMs(afterMs, delayMs, policy));
  if (item.replay === null && notBeforeMs > item.acceptedClockMs + policy.maxAgeMs) {
    return { index, kind: "dead", reason: `given up after ${describeAge(policy.maxAgeMs)}: ${reason}` };
  }
  return { index, kind: "retry", notBeforeMs, reason };
}

/** A delay that the target requested is the least one; at most a tenth more spreads messages with the same request. */
function waitMs(afterMs: number | undefined, delayMs: number, { minDelayMs }: RetryPolicy): number {
  if (afterMs === undefined) return delayMs;
  return afterMs + Math.min(delayMs, Math.max(minDelayMs, afterMs / 10));
}

const units = [
  [dayMs, "d"],
  [hourMs, "h"],
  [minuteMs, "min"],
  [secondMs, "s"],
] as const;

/** Formats a duration in the largest unit without a fraction: `24 h`, `90 s`, `1500 ms`. */
function describeAge(ms: number): string {
  const [unitMs, name] = units.find(([size]) => ms % size === 0) ?? [1, "ms"];
  return `${ms / unitMs} ${name}`;
}
