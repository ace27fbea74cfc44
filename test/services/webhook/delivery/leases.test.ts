import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { allDone, type Harness, names, openHarness } from "./harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(async () => {
  await harness[Symbol.asyncDispose]();
});

describe("leases", () => {
  it("are kept while a call takes long", async () => {
    const x = harness.target();
    x.behave = async (batch, signal) => {
      await harness.clock.wait(200_000, signal);
      return allDone(batch, signal);
    };
    harness.start({ x }, { policy: { timeoutMs: 300_000 } });
    await harness.accept(["a"], ["x"]);
    await harness.clock.until(harness.isSettled);
    expect(x.calls).toHaveLength(1);
  });

  it("that are lost end what has not been sent", async () => {
    const x = harness.target(1);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    x.behave = async (batch, signal) => {
      await held;
      return allDone(batch, signal);
    };
    const delivery = harness.start(
      { x },
      { policy: { timeoutMs: 300_000 }, inbox: { extend: async () => ({ kind: "stale" }) } },
    );
    await harness.accept(names(20), ["x"]);
    await harness.clock.pass(11_000);
    expect(harness.events).toEqual([{ name: "leaseLost", target: "x", what: 20 }]);
    expect(delivery.states()).toMatchObject([{ held: 0, calls: 4 }]);
    release();
    await harness.clock.until(harness.isSettled);
    expect(await harness.counts("x")).toEqual({ accepted: 20, delivered: 20, dead: 0, pending: 0 });
  });

  it("of a process that died are taken over", async () => {
    await harness.accept(["a"], ["x"]);
    await harness.inbox.lease({ target: "x", maxElements: 10, leaseMs: 30_000 });
    const x = harness.target();
    harness.start({ x });
    await harness.clock.until(harness.isSettled);
    expect(x.calls.map(({ attempt }) => attempt)).toEqual([1]);
  });

  it("that ended before anything was sent cost no attempt, however often", async () => {
    await harness.accept(names(50), ["x"]);
    for (let count = 0; count < 20; count++) {
      await harness.inbox.lease({ target: "x", maxElements: 100, leaseMs: 1 });
      await harness.clock.pass(2);
    }
    const x = harness.target(1);
    harness.start({ x });
    await harness.clock.until(harness.isSettled);
    expect(new Set(x.calls.map(({ attempt }) => attempt))).toEqual(new Set([1]));
    expect(await harness.counts("x")).toMatchObject({ delivered: 50, dead: 0 });
  });

  it("of calls that a process died in are sent one at a time, beside others", async () => {
    await harness.accept(names(8), ["x"]);
    const { items } = await harness.inbox.lease({ target: "x", maxElements: 100, leaseMs: 1 });
    await harness.inbox.begin([{ token: items[0]!.token, indexes: [0, 1, 2] }]);
    await harness.clock.pass(2);
    const x = harness.target(1);
    const running = { suspects: 0, most: 0 };
    x.behave = async (batch, signal) => {
      const count = batch.attempt > 1 ? 1 : 0;
      running.suspects += count;
      running.most = Math.max(running.most, running.suspects);
      await harness.clock.wait(100, signal);
      running.suspects -= count;
      return allDone(batch, signal);
    };
    harness.start({ x });
    await harness.clock.until(harness.isSettled);
    expect(running.most).toBe(1);
    expect(await harness.counts("x")).toMatchObject({ delivered: 8 });
  });

  it("count the calls that had begun when the process died, and no others", async () => {
    await harness.accept(names(20), ["x"]);
    for (let death = 0; death < 2; death++) {
      const dying = harness.target(1);
      dying.behave = () => new Promise(() => {});
      const lost = {
        extend: async () => ({ kind: "stale" }) as const,
        settle: async () => new Promise<never>(() => {}),
      };
      const delivery = harness.start(
        { x: dying },
        { policy: { concurrency: 3, timeoutMs: 9_999_999 }, inbox: lost },
      );
      await harness.clock.until(() => dying.calls.length === 3);
      await harness.clock.pass(20_000);
      const stopped = delivery.stop(0);
      await harness.clock.pass(20_000);
      await stopped;
    }
    const { items } = await harness.inbox.lease({ target: "x", maxElements: 100, leaseMs: 1_000 });
    const attempts = items.flatMap(({ attempt, elements }) => elements.map(() => attempt));
    expect(attempts.toSorted()).toEqual([
      ...Array.from({ length: 14 }, () => 1),
      ...Array.from({ length: 6 }, () => 2),
    ]);
  });

  it("that ended again and again without a word end in a dead letter", async () => {
    await harness.accept(["a"], ["x"]);
    for (let count = 0; count < 5; count++) {
      const { items } = await harness.inbox.lease({ target: "x", maxElements: 10, leaseMs: 1 });
      await harness.inbox.begin([{ token: items[0]!.token, indexes: [0] }]);
      await harness.clock.pass(2);
    }
    const x = harness.target();
    harness.start({ x });
    await harness.clock.until(harness.isSettled);
    expect(x.calls).toEqual([]);
    expect(await harness.counts("x")).toMatchObject({ dead: 1 });
  });
});
