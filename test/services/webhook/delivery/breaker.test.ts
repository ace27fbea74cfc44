import { describe, expect, it } from "vitest";
import {
  type Admission,
  admit,
  type BreakerState,
  type CallEnd,
  closedBreaker,
  settleCall,
} from "../../../../services/webhook/delivery/breaker.ts";

const policy = { failures: 3, openMs: 1_000, maxOpenMs: 5_000 };
const failed: CallEnd = { kind: "failed" };
const ok: CallEnd = { kind: "ok" };
const none: CallEnd = { kind: "none" };
const closed = (failures: number): BreakerState => ({ kind: "closed", failures });
const open = (untilMs: number, trips = 1): BreakerState => ({ kind: "open", untilMs, trips });
const halfOpen = (trips = 1): BreakerState => ({ kind: "half-open", trips });

describe("ends of calls", () => {
  it.each<[BreakerState, Admission, CallEnd, BreakerState]>([
    [closed(0), "call", ok, closed(0)],
    [closed(0), "call", failed, closed(1)],
    [closed(2), "call", ok, closed(0)],
    [closed(2), "call", none, closed(2)],
    [closed(2), "call", failed, open(11_000)],
    [closed(0), "call", { kind: "failed", afterMs: 2_000 }, open(12_000)],
    [closed(0), "call", { kind: "failed", afterMs: 60_000 }, open(15_000)],
    [open(11_000), "call", ok, open(11_000)],
    [open(11_000), "call", failed, open(11_000)],
    [halfOpen(), "call", ok, halfOpen()],
    [halfOpen(), "call", failed, halfOpen()],
    [halfOpen(), "probe", ok, closed(0)],
    [halfOpen(), "probe", none, open(10_000)],
    [halfOpen(), "probe", failed, open(12_000, 2)],
    [halfOpen(2), "probe", failed, open(14_000, 3)],
    [halfOpen(3), "probe", failed, open(15_000, 4)],
    [halfOpen(90), "probe", failed, open(15_000, 91)],
    [halfOpen(2), "probe", { kind: "failed", afterMs: 500 }, open(10_500, 3)],
  ])("%j, %s ends %j: %j", (state, admission, end, expected) => {
    expect(settleCall(state, admission, end, 10_000, policy)).toEqual(expected);
  });
});

describe("begins of calls", () => {
  it.each<[BreakerState, number, Admission | undefined, BreakerState]>([
    [closed(2), 0, "call", closed(2)],
    [open(1_000), 999, undefined, open(1_000)],
    [open(1_000, 4), 1_000, "probe", halfOpen(4)],
    [halfOpen(), 99_999, undefined, halfOpen()],
  ])("%j at %d: %s, then %j", (state, nowMs, admission, next) => {
    expect(admit(state, nowMs)).toEqual({ admission, state: next });
  });

  it("begins closed", () => {
    expect(closedBreaker).toEqual(closed(0));
  });
});
