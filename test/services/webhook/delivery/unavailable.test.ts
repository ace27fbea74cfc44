import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TargetOutcome } from "../../../../services/webhook/targets/target.ts";
import { InboxUnavailableError } from "../../../../store/inbox/inbox.ts";
import { all, allDone, type Harness, names, openHarness } from "./harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(async () => {
  await harness[Symbol.asyncDispose]();
});

const down: TargetOutcome = { kind: "retry", reason: "HTTP 503", isTargetDown: true };

describe("a target that is down", () => {
  it("is left alone but for one call at a time, and costs no message its attempts", async () => {
    const x = harness.target(1);
    x.behave = all(down);
    harness.start({ x });
    await harness.accept(names(50), ["x"]);
    await harness.clock.pass(600_000);
    const calls = x.calls.length;
    x.behave = allDone;
    await harness.clock.until(harness.isSettled);
    // 5 to 8 until the breaker opens, then one after 5, 10, 20, 40, 60, 60 … s.
    expect(calls).toBeLessThan(24);
    expect(await harness.counts("x")).toEqual({ accepted: 50, delivered: 50, dead: 0, pending: 0 });
    const changes = harness.events.flatMap(({ name, what }) => (name === "breakerChanged" ? [what] : []));
    expect(changes.join(" ")).toMatch(/^open( half-open open){8,14} half-open closed$/);
  });

  it("is left alone for as long as it asks for", async () => {
    const x = harness.target();
    x.behave = all({ ...down, afterMs: 30_000 } as TargetOutcome);
    harness.start({ x });
    await harness.accept(["a"], ["x"]);
    await harness.clock.until(() => x.calls.length === 1);
    x.behave = allDone;
    await harness.accept(["b"], ["x"]);
    const [{ atMs = 0 } = {}] = x.calls;
    await harness.clock.until(harness.isSettled);
    const later = x.calls.slice(1).map((call) => call.atMs - atMs);
    expect(Math.min(...later)).toBeGreaterThanOrEqual(30_000);
    expect(Math.min(...later)).toBeLessThan(32_000);
  });

  it("that says nothing is given up on after a time", async () => {
    const x = harness.target();
    x.behave = () => new Promise(() => {});
    harness.start({ x });
    await harness.accept(["a"], ["x"]);
    await harness.clock.until(() => harness.events.some(({ name }) => name === "called"));
    expect(harness.events.map(({ what }) => what)).toEqual([
      { durationMs: 5_000, done: 0, retry: 1, dead: 0, reason: "no response within 5000 ms" },
    ]);
  });

  it("that fails by throwing is tried again", async () => {
    const x = harness.target();
    x.behave = async () => {
      throw Object.assign(new Error("connect failed"), { code: "ECONNREFUSED" });
    };
    harness.start({ x });
    await harness.accept(["a"], ["x"]);
    await harness.clock.until(() => x.calls.length === 1);
    x.behave = allDone;
    await harness.clock.until(harness.isSettled);
    expect(harness.events.map(({ what }) => what)).toEqual([
      expect.objectContaining({ reason: "connection refused" }),
      expect.objectContaining({ done: 1 }),
    ]);
  });
});

describe("an inbox that is unavailable", () => {
  const away = new InboxUnavailableError("the disk is full");

  it.each(["lease", "settle"] as const)("for %s is asked again", async (operation) => {
    let failures = 8;
    const x = harness.target();
    const real = harness.inbox[operation].bind(harness.inbox) as (...parameters: unknown[]) => unknown;
    const failing = async (...parameters: unknown[]) => {
      if (failures-- > 0) throw away;
      return real(...parameters);
    };
    harness.start({ x }, { inbox: { [operation]: failing } });
    await harness.accept(names(3), ["x"]);
    await harness.clock.until(harness.isSettled);
    expect(x.calls).toHaveLength(1);
    expect(harness.events.filter(({ name }) => name === "inboxFailed")).toHaveLength(8);
  });

  it("is not asked without a pause", async () => {
    const x = harness.target();
    harness.start(
      { x },
      {
        inbox: {
          lease: async () => {
            throw away;
          },
        },
      },
    );
    await harness.clock.pass(60_000);
    expect(harness.events.length).toBeLessThan(25);
  });
});
