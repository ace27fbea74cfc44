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

describe("delivery", () => {
  it("takes each message to each of its targets once", async () => {
    const [x, y] = [harness.target(), harness.target(1)];
    harness.start({ x, y });
    await harness.accept(names(30), ["x", "y"]);
    await harness.accept(["v"], ["y"]);
    await harness.clock.until(harness.isSettled);
    expect(x.calls.flatMap(({ pushIds }) => pushIds)).toEqual(names(30));
    expect(y.calls.map(({ pushIds }) => pushIds)).toEqual([...names(30), "v"].map((name) => [name]));
    expect(await harness.counts("y")).toEqual({ accepted: 31, delivered: 31, dead: 0, pending: 0 });
  });

  it("finds what was accepted before it started", async () => {
    await harness.accept(names(3), ["x"]);
    const x = harness.target();
    harness.start({ x });
    await harness.clock.until(harness.isSettled);
    expect(x.calls).toHaveLength(1);
  });

  it("lets one poisoned message of 500 die, and no other", async () => {
    const x = harness.target();
    x.behave = async ({ elements }) =>
      elements.map(({ pushId }) =>
        pushId === "u77" ? { kind: "dead", reason: "bad user" } : { kind: "done" },
      );
    harness.start({ x });
    await harness.accept(names(500), ["x"]);
    await harness.clock.until(harness.isSettled);
    const { items } = await harness.inbox.deadLetters({}, { limit: 10 });
    expect(items.map(({ pushId, reason, attempts }) => [pushId, reason, attempts])).toEqual([
      ["u77", "bad user", 1],
    ]);
    expect(await harness.counts("x")).toEqual({ accepted: 500, delivered: 499, dead: 1, pending: 0 });
  });

  it("makes no more calls at a time than it may", async () => {
    const x = harness.target(1);
    x.behave = async (batch, signal) => {
      await harness.clock.wait(100, signal);
      return allDone(batch, signal);
    };
    harness.start({ x }, { policy: { concurrency: 3 } });
    await harness.accept(names(40), ["x"]);
    await harness.clock.until(harness.isSettled);
    expect(x.peak()).toBe(3);
  });

  it("begins no more calls in any one second than it may", async () => {
    const x = harness.target(1);
    harness.start({ x }, { policy: { maxPerSecond: 7, concurrency: 20 } });
    await harness.accept(names(60), ["x"]);
    await harness.clock.until(harness.isSettled);
    const starts = x.calls.map(({ atMs }) => atMs);
    const inWindow = starts.map((from) => starts.filter((at) => at >= from && at < from + 1_000).length);
    expect(starts).toHaveLength(60);
    expect(Math.max(...inWindow)).toBe(7);
  });

  it("is not slowed by another target that hangs", async () => {
    const [slow, fast] = [harness.target(1), harness.target(1)];
    slow.behave = () => new Promise(() => {});
    harness.start({ slow, fast });
    const startMs = harness.clock.now();
    await harness.accept(names(100), ["slow", "fast"]);
    await harness.clock.until(async () => (await harness.counts("fast")).delivered === 100);
    expect(harness.clock.now() - startMs).toBeLessThan(1_000);
  });

  it("holds a bounded number of messages of a target that hangs", async () => {
    const x = harness.target(1);
    x.behave = () => new Promise(() => {});
    const delivery = harness.start({ x }, { policy: { timeoutMs: 60_000 } });
    for (let count = 0; count < 10; count++) await harness.accept(names(500), ["x"]);
    await harness.clock.pass(2_000);
    const [state] = delivery.states();
    expect(state).toMatchObject({ target: "x", calls: 4 });
    expect(state?.held).toBeLessThanOrEqual(1_000);
  });
});

describe("retries", () => {
  it("wait longer each time, and come in one call again", async () => {
    const x = harness.target();
    x.behave = async (batch, signal) =>
      batch.attempt < 4 ? all({ kind: "retry", reason: "busy" })(batch, signal) : allDone(batch, signal);
    harness.start({ x });
    await harness.accept(names(3), ["x"]);
    await harness.clock.until(harness.isSettled);
    const [first = 0, ...later] = x.calls.map(({ atMs }) => atMs);
    expect(x.calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
    expect(x.calls.map(({ pushIds }) => pushIds.length)).toEqual([3, 3, 3, 3]);
    expect(later.map((atMs) => atMs - first)).toEqual([500, 1_500, 3_500]);
  });

  it("end when there were enough", async () => {
    const x = harness.target();
    x.behave = all({ kind: "retry", reason: "busy" });
    harness.start({ x });
    await harness.accept(["a"], ["x"]);
    await harness.clock.until(harness.isSettled);
    const { items } = await harness.inbox.deadLetters({}, { limit: 10 });
    expect(items.map(({ reason, attempts }) => [reason, attempts])).toEqual([
      ["given up after 5 attempts: busy", 5],
    ]);
    expect(x.calls).toHaveLength(5);
  });

  it("end when the message is too old", async () => {
    const x = harness.target();
    await harness.accept(["a"], ["x"]);
    await harness.clock.pass(100_000);
    harness.start({ x }, { policy: { retry: { ...retry, maxAgeMs: 90_000 } } });
    await harness.clock.until(harness.isSettled);
    const { items } = await harness.inbox.deadLetters({}, { limit: 10 });
    expect(items.map(({ reason }) => reason)).toEqual(["given up after 90 s"]);
    expect(x.calls).toEqual([]);
  });

  it("come again after a replay, with its nonce", async () => {
    const x = harness.target();
    x.behave = all({ kind: "dead", reason: "no" });
    harness.start({ x }, { policy: { retry: { ...retry, maxAgeMs: 10_000 } } });
    await harness.accept(["a"], ["x"]);
    await harness.clock.until(harness.isSettled);
    await harness.clock.pass(20_000);
    x.behave = allDone;
    await harness.inbox.replay({}, { nonce: "again" });
    await harness.clock.until(harness.isSettled);
    expect(x.calls.map(({ replay, attempt }) => [replay, attempt])).toEqual([
      [null, 1],
      ["again", 1],
    ]);
    expect(await harness.counts("x")).toEqual({ accepted: 1, delivered: 1, dead: 0, pending: 0 });
  });

  it("keep the order of a push id, also when its first message fails", async () => {
    const x = harness.target();
    x.behave = async (batch, signal) =>
      batch.attempt === 1 && batch.elements[0]?.deliveryId.includes(first)
        ? all({ kind: "retry", reason: "busy" })(batch, signal)
        : allDone(batch, signal);
    const first = await harness.accept(["a", "b"], ["x"], true);
    await harness.accept(["a", "c"], ["x"], true);
    harness.start({ x });
    await harness.clock.until(harness.isSettled);
    const order = x.calls.flatMap(({ pushIds, attempt }) => pushIds.map((pushId) => `${pushId}${attempt}`));
    expect(order).toEqual(["a1", "b1", "c1", "a2", "b2", "a1"]);
  });
});

const retry = { maxAttempts: 5, maxAgeMs: 86_400_000, minDelayMs: 1_000, maxDelayMs: 60_000 };

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

describe("stopping", () => {
  it("waits for nothing when there is nothing, also while it looks for work", async () => {
    const delivery = harness.start({ x: harness.target() });
    const startMs = harness.clock.now();
    await delivery.stop(10_000);
    expect(harness.clock.now()).toBe(startMs);
  });

  it("lets calls finish and gives back what waits, without counting an attempt", async () => {
    const x = harness.target(1);
    x.behave = async (batch, signal) => {
      await harness.clock.wait(1_000, signal);
      return allDone(batch, signal);
    };
    const delivery = harness.start({ x });
    await harness.accept(names(20), ["x"]);
    await harness.clock.until(() => x.calls.length === 4);
    let isStopped = false;
    const stopped = delivery.stop(10_000).finally(() => {
      isStopped = true;
    });
    await harness.clock.until(() => isStopped);
    await stopped;
    expect(await harness.counts("x")).toMatchObject({ delivered: 4, pending: 16 });
    expect(x.calls).toHaveLength(4);
    const { items } = await harness.inbox.lease({ target: "x", maxElements: 100, leaseMs: 1_000 });
    expect(items.map(({ attempt, elements }) => [attempt, elements.length])).toEqual([[1, 16]]);
  });

  it("breaks off calls that take too long, to be tried again", async () => {
    const x = harness.target();
    x.behave = () => new Promise(() => {});
    const delivery = harness.start({ x }, { policy: { timeoutMs: 60_000 } });
    await harness.accept(["a"], ["x"]);
    await harness.clock.until(() => x.calls.length === 1);
    const startMs = harness.clock.now();
    let isStopped = false;
    const stopped = delivery.stop(2_000).finally(() => {
      isStopped = true;
    });
    await harness.clock.until(() => isStopped);
    await stopped;
    expect(harness.clock.now() - startMs).toBeLessThan(4_000);
    const { items } = await harness.inbox.deliveries({}, { limit: 10 });
    expect(items).toMatchObject([{ state: "pending", attempts: 1, reason: "aborted by this service" }]);
  });

  it("leases nothing afterwards", async () => {
    const x = harness.target();
    const delivery = harness.start({ x });
    await harness.clock.until(() => true);
    await delivery.stop(0);
    await harness.accept(["a"], ["x"]);
    await harness.clock.pass(60_000);
    expect(x.calls).toEqual([]);
  });
});
