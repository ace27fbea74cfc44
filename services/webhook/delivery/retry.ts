import type { Delays } from "../../../base/async/backoff.ts";
import { exactCountOf } from "../../../base/text/count.ts";
import { dayMs, hourMs, minuteMs, secondMs } from "../../../base/time/units.ts";
import type { ElementOutcome, WorkItem } from "../../../store/inbox/inbox.ts";
import type { TargetOutcome } from "../targets/target.ts";

/** How often and how long a message is tried. */
export interface RetryPolicy extends Delays {
  readonly maxAttempts: number;
  /** Since the message was accepted. It does not apply to replayed messages, whose age is not their fault. */
  readonly maxAgeMs: number;
}

type Tried = Pick<WorkItem, "attempt" | "acceptedClockMs" | "replay">;

/**
 * Why leased messages must not be tried any more; undefined when they may.
 * A call counts from its beginning, so this ends messages that take the process
 * down with them each time.
 * @param nowMs by the inbox's clock
 */
export function overdueReason(
  item: Tried & { readonly lastReason: string | null },
  policy: RetryPolicy,
  nowMs: number,
): string | undefined {
  const last = item.lastReason ?? "the last attempt gave no answer";
  if (item.attempt > policy.maxAttempts)
    return `given up after ${exactCountOf(item.attempt - 1, "attempt")}: ${last}`;
  if (item.replay !== null || nowMs - item.acceptedClockMs <= policy.maxAgeMs) return undefined;
  const failure = item.attempt === 1 ? "" : `: ${last}`;
  return `given up after ${describeAge(policy.maxAgeMs)}${failure}`;
}

/**
 * What to settle for an element after an attempt. `delayMs` is the backoff of
 * this attempt, one for all elements of an item, so that they stay together;
 * `nowMs` is of the inbox's clock.
 */
export function toElementOutcome(
  index: number,
  outcome: TargetOutcome,
  item: Tried,
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

/** A time that the target named is the least to wait; a tenth more at most spreads those that were named the same. */
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

/** `24 h`, `90 s`, `1500 ms`: in the largest unit that needs no fraction. */
function describeAge(ms: number): string {
  const [unitMs, name] = units.find(([size]) => ms % size === 0) ?? [1, "ms"];
  return `${ms / unitMs} ${name}`;
}
