import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { all, allDone, type Harness, names, openHarness } from "./harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(async () => {
  await harness[Symbol.asyncDispose]();
});

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

  it("leave a time line with what the target answered", async () => {
    const x = harness.target();
    x.behave = async ({ attempt, elements }, _signal, answered) => {
      answered?.({ status: attempt === 1 ? 503 : 200, text: attempt === 1 ? "busy" : "" });
      return elements.map(() => (attempt === 1 ? { kind: "retry", reason: "HTTP 503" } : { kind: "done" }));
    };
    const batchId = await harness.accept(["a"], ["x"]);
    const startMs = harness.clock.now();
    harness.start({ x });
    await harness.clock.until(() => harness.isSettled());
    const { timeline } = (await harness.inbox.delivery(`${batchId}.0.x`))!;
    expect(timeline).toMatchObject([
      { attempt: 1, startedAtMs: startMs, outcome: "retry", reason: "HTTP 503", status: 503, answer: "busy" },
      { attempt: 2, outcome: "done", reason: null, status: 200, answer: null },
    ]);
    expect(timeline.map(({ startedAtMs }) => startedAtMs)).toEqual(x.calls.map(({ atMs }) => atMs));
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
