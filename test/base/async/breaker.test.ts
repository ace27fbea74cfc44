import { describe, expect, it } from "vitest";
import {
  type Admission,
  admit,
  type BreakerState,
  type CallEnd,
  closedBreaker,
  createBreaker,
  settleCall,
} from "../../../base/async/breaker.ts";

const policy = { failures: 3, openMs: 1_000, maxOpenMs: 5_000 };
const failed: CallEnd = { kind: "failed" };
const ok: CallEnd = { kind: "ok" };
const none: CallEnd = { kind: "none" };
const closed = (failures: number, trips = 0): BreakerState => ({ kind: "closed", failures, trips });
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
    [closed(2, 2), "call", failed, open(14_000, 3)],
    [closed(0, 1), "call", ok, closed(0)],
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

function openBreaker() {
  const clock = { ms: 0 };
  const states: string[] = [];
  const policy = { failures: 2, openMs: 100, maxOpenMs: 250 };
  const created = createBreaker(
    policy,
    () => clock.ms,
    (state) => states.push(state),
  );
  const failTwice = () => {
    created.enter()?.end("failed");
    created.enter()?.end("failed");
  };
  return { ...created, clock, states, failTwice };
}

describe("a closed breaker", () => {
  it.each([
    ["opens after failures in a row", ["failed", "failed"], ["open"]],
    ["counts from the start again after a success", ["failed", "ok", "failed"], []],
    ["takes no notice of callers who leave", ["failed", "none", "failed"], ["open"]],
  ] as const)("%s", (_name, outcomes, expected) => {
    const { enter, states } = openBreaker();
    for (const outcome of outcomes) enter()?.end(outcome);
    expect(states).toEqual(expected);
  });

  it("counts each call once", () => {
    const { enter, states } = openBreaker();
    const pass = enter();
    pass?.end("failed");
    pass?.end("failed");
    expect(states).toEqual([]);
  });
});

describe("an open breaker", () => {
  it("lets nothing through, then one probe", () => {
    const { enter, clock, failTwice, waitMs, states } = openBreaker();
    failTwice();
    clock.ms = 99;
    expect([enter(), waitMs()]).toEqual([undefined, 1]);
    clock.ms = 100;
    expect([enter() !== undefined, enter(), waitMs()]).toEqual([true, undefined, 0]);
    expect(states).toEqual(["open", "half-open"]);
  });

  it("stays open for longer each time, up to a limit", () => {
    const { enter, clock, failTwice, waitMs } = openBreaker();
    failTwice();
    const waits = [1, 2, 3].map(() => {
      clock.ms += waitMs();
      enter()?.end("failed");
      return waitMs();
    });
    expect(waits).toEqual([200, 250, 250]);
  });

  it("closes when the probe has begun to answer, and opens when its rest fails", () => {
    const { enter, clock, failTwice, states } = openBreaker();
    failTwice();
    clock.ms = 100;
    const probe = enter();
    probe?.alive();
    expect(enter()).toBeDefined();
    probe?.end("failed");
    expect(states).toEqual(["open", "half-open", "closed", "open"]);
  });

  it("is forgotten after a whole success", () => {
    const { enter, clock, failTwice, waitMs } = openBreaker();
    failTwice();
    clock.ms = 100;
    const probe = enter();
    probe?.alive();
    probe?.end("ok");
    enter()?.end("failed");
    expect(waitMs()).toBe(0);
    enter()?.end("failed");
    expect(waitMs()).toBe(100);
  });

  it("makes the next call the probe when its caller left", () => {
    const { enter, clock, failTwice, states } = openBreaker();
    failTwice();
    clock.ms = 100;
    enter()?.end("none");
    enter()?.end("ok");
    expect(states).toEqual(["open", "half-open", "open", "half-open", "closed"]);
  });

  it("is not changed by calls from before", () => {
    const { enter, failTwice, states } = openBreaker();
    const before = enter();
    failTwice();
    before?.end("ok");
    expect([states, enter()]).toEqual([["open"], undefined]);
  });
});
