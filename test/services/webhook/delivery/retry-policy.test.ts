import { describe, expect, it } from "vitest";
import { overdueReason, toElementOutcome } from "../../../../services/webhook/delivery/retry-policy.ts";
import type { TargetOutcome } from "../../../../services/webhook/targets/target.ts";
import type { ElementOutcome } from "../../../../store/inbox/inbox.ts";

const policy = { maxAttempts: 3, maxAgeMs: 3_600_000, minDelayMs: 1_000, maxDelayMs: 60_000 };
const item = { attempt: 1, acceptedClockMs: 0, replay: null, lastReason: null };

describe("outcomes", () => {
  const retry = (afterMs?: number): TargetOutcome => ({ kind: "retry", reason: "busy", afterMs });
  it.each<[string, TargetOutcome, object, ElementOutcome]>([
    ["done", { kind: "done" }, {}, { index: 4, kind: "done" }],
    ["dead", { kind: "dead", reason: "gone" }, {}, { index: 4, kind: "dead", reason: "gone" }],
    ["retry", retry(), {}, { index: 4, kind: "retry", notBeforeMs: 10_400, reason: "busy" }],
    ["retry after", retry(5_000), {}, { index: 4, kind: "retry", notBeforeMs: 15_400, reason: "busy" }],
    ["retry after 0", retry(0), {}, { index: 4, kind: "retry", notBeforeMs: 10_400, reason: "busy" }],
    [
      "the last attempt",
      retry(),
      { attempt: 3 },
      { index: 4, kind: "dead", reason: "given up after 3 attempts: busy" },
    ],
    ["too old by then", retry(3_600_000), {}, { index: 4, kind: "dead", reason: "given up after 1 h: busy" }],
    [
      "old, but replayed",
      retry(),
      { acceptedClockMs: -9_000_000, replay: "n1" },
      { index: 4, kind: "retry", notBeforeMs: 10_400, reason: "busy" },
    ],
  ])("%s", (_name, outcome, changes, expected) => {
    const times = { nowMs: 10_000, delayMs: 400 };
    expect(toElementOutcome(4, outcome, { ...item, ...changes }, policy, times)).toEqual(expected);
  });

  it("adds at most a tenth to a time that the target named", () => {
    const outcome = toElementOutcome(0, retry(600_000), item, policy, { nowMs: 0, delayMs: 900_000 });
    expect(outcome).toMatchObject({ notBeforeMs: 660_000 });
  });
});

describe("overdue messages", () => {
  it.each<[string, object, number, string | undefined]>([
    ["fresh", {}, 10, undefined],
    ["as old as allowed", {}, 3_600_000, undefined],
    ["too old", {}, 3_600_001, "given up after 1 h"],
    [
      "too old, with a reason",
      { attempt: 2, lastReason: "HTTP 503" },
      3_600_001,
      "given up after 1 h: HTTP 503",
    ],
    ["replayed", { replay: "n1" }, 99_000_000, undefined],
    ["the last attempt", { attempt: 3, lastReason: "busy" }, 0, undefined],
    ["leases that ended", { attempt: 4 }, 0, "given up after 3 attempts: the last attempt had no result"],
  ])("%s", (_name, changes, nowMs, expected) => {
    expect(overdueReason({ ...item, ...changes }, policy, nowMs)).toBe(expected);
  });
});
