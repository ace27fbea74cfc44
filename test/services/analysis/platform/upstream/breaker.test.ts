import { describe, expect, test } from "vitest";
import { createBreaker } from "../../../../../services/analysis/platform/upstream/breaker.ts";

function breaker() {
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
  test.each([
    ["opens after failures in a row", ["failed", "failed"], ["open"]],
    ["counts anew after a success", ["failed", "ok", "failed"], []],
    ["takes no notice of callers who leave", ["failed", "none", "failed"], ["open"]],
  ] as const)("%s", (_name, outcomes, expected) => {
    const { enter, states } = breaker();
    for (const outcome of outcomes) enter()?.end(outcome);
    expect(states).toEqual(expected);
  });

  test("counts each call once", () => {
    const { enter, states } = breaker();
    const pass = enter();
    pass?.end("failed");
    pass?.end("failed");
    expect(states).toEqual([]);
  });
});

describe("an open breaker", () => {
  test("lets nothing through, then one probe", () => {
    const { enter, clock, failTwice, waitMs, states } = breaker();
    failTwice();
    clock.ms = 99;
    expect([enter(), waitMs()]).toEqual([undefined, 1]);
    clock.ms = 100;
    expect([enter() !== undefined, enter(), waitMs()]).toEqual([true, undefined, 0]);
    expect(states).toEqual(["open", "half-open"]);
  });

  test("stays open for longer each time, up to a limit", () => {
    const { enter, clock, failTwice, waitMs } = breaker();
    failTwice();
    const waits = [1, 2, 3].map(() => {
      clock.ms += waitMs();
      enter()?.end("failed");
      return waitMs();
    });
    expect(waits).toEqual([200, 250, 250]);
  });

  test("closes when the probe has begun to answer, and opens when its rest fails", () => {
    const { enter, clock, failTwice, states } = breaker();
    failTwice();
    clock.ms = 100;
    const probe = enter();
    probe?.alive();
    expect(enter()).toBeDefined();
    probe?.end("failed");
    expect(states).toEqual(["open", "half-open", "closed", "open"]);
  });

  test("is forgotten after a whole success", () => {
    const { enter, clock, failTwice, waitMs } = breaker();
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

  test("makes the next call the probe when its caller left", () => {
    const { enter, clock, failTwice, states } = breaker();
    failTwice();
    clock.ms = 100;
    enter()?.end("none");
    enter()?.end("ok");
    expect(states).toEqual(["open", "half-open", "open", "half-open", "closed"]);
  });

  test("is not changed by calls from before", () => {
    const { enter, failTwice, states } = breaker();
    const before = enter();
    failTwice();
    before?.end("ok");
    expect([states, enter()]).toEqual([["open"], undefined]);
  });
});
