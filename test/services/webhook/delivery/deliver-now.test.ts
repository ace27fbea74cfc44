import { afterEach, beforeEach, expect, it } from "vitest";
import type { Delivery } from "../../../../services/webhook/delivery/delivery.ts";
import type { RouteOutcome } from "../../../../services/webhook/receive/sync-outcome.ts";
import { all, allDone, type Behave, type Harness, names, newBatch, openHarness } from "./harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(async () => {
  await harness[Symbol.asyncDispose]();
});

/** Delivers while time goes by. */
async function deliver(
  delivery: Delivery,
  pushIds: readonly string[],
  targets: readonly string[],
  timeoutMs = 5_000,
) {
  let isDone = false;
  const answers = delivery
    .deliverNow({ ...newBatch(pushIds, targets), batchId: "b1" }, timeoutMs)
    .finally(() => {
      isDone = true;
    });
  await harness.clock.until(() => isDone);
  return (await answers).map(withoutAttempts);
}

function withoutAttempts({ attempts: _attempts, ...answer }: RouteOutcome): RouteOutcome {
  return answer;
}

it("tells of each call that has ended", async () => {
  const x = harness.target(2);
  x.behave = async ({ elements }) =>
    elements.map(({ pushId }) => (pushId === "u1" ? { kind: "dead", reason: "closed" } : { kind: "done" }));
  const delivery = harness.start({ x });
  const batch = { ...newBatch(names(3), ["x"]), batchId: "b1" };
  const [answer] = await delivery.deliverNow(batch, 1_000);
  const call = { startedAtMs: harness.clock.now(), durationMs: 0, status: null, answer: null };
  expect(answer!.attempts).toEqual([
    { ...call, indexes: [0], outcome: "done", reason: null },
    { ...call, indexes: [1], outcome: "dead", reason: "closed" },
    { ...call, indexes: [2], outcome: "done", reason: null },
  ]);
});

it("tells what each target answered", async () => {
  const [x, y] = [harness.target(), harness.target(1)];
  x.behave = async ({ elements }) =>
    elements.map(({ pushId }) => (pushId === "u1" ? { kind: "dead", reason: "closed" } : { kind: "done" }));
  const delivery = harness.start({ x, y });
  expect(await deliver(delivery, names(3), ["x", "y"])).toEqual([
    { target: "x", delivered: [0, 2], failed: [{ index: 1, reason: "closed" }] },
    { target: "y", delivered: [0, 1, 2], failed: [] },
  ]);
});

it("hands over the messages of the route only", async () => {
  const x = harness.target();
  const delivery = harness.start({ x });
  const batch = { ...newBatch(names(4), []), routes: [{ target: "x", indexes: [1, 3] }], batchId: "b1" };
  const answers = await delivery.deliverNow(batch, 1_000);
  expect(answers.map(withoutAttempts)).toEqual([{ target: "x", delivered: [1, 3], failed: [] }]);
  expect(x.calls.map(({ pushIds }) => pushIds)).toEqual([["u1", "u3"]]);
});

it("leaves messages unanswered that are to be tried again", async () => {
  const x = harness.target();
  x.behave = all({ kind: "retry", reason: "busy" });
  const delivery = harness.start({ x });
  expect(await deliver(delivery, ["a"], ["x"])).toEqual([{ target: "x", delivered: [], failed: [] }]);
});

it("tells what was answered when the time is up", async () => {
  const x = harness.target(1);
  x.behave = (async (batch, signal) =>
    batch.elements[0]!.pushId === "u0" ? allDone(batch, signal) : new Promise(() => {})) satisfies Behave;
  const delivery = harness.start({ x }, { policy: { timeoutMs: 60_000 } });
  const startMs = harness.clock.now();
  expect(await deliver(delivery, names(10), ["x"], 2_000)).toEqual([
    { target: "x", delivered: [0], failed: [] },
  ]);
  expect(harness.clock.now() - startMs).toBe(2_000);
  expect(delivery.states()).toMatchObject([{ calls: 0 }]);
});

it("goes ahead of what waits", async () => {
  const x = harness.target(1);
  x.behave = async (batch, signal) => {
    await harness.clock.wait(1_000, signal);
    return allDone(batch, signal);
  };
  const delivery = harness.start({ x }, { policy: { concurrency: 1 } });
  await harness.accept(names(50), ["x"]);
  await harness.clock.until(() => x.calls.length === 1);
  expect(await deliver(delivery, ["now"], ["x"])).toMatchObject([{ delivered: [0] }]);
  expect(x.calls.map(({ pushIds }) => pushIds[0]).indexOf("now")).toBe(1);
});

it("does not call a target that is known to be down", async () => {
  const x = harness.target();
  x.behave = all({ kind: "retry", reason: "HTTP 503", isTargetDown: true, afterMs: 60_000 });
  const delivery = harness.start({ x });
  await deliver(delivery, ["a"], ["x"]);
  const startMs = harness.clock.now();
  expect(await deliver(delivery, ["b"], ["x"])).toEqual([{ target: "x", delivered: [], failed: [] }]);
  expect([x.calls.length, harness.clock.now() - startMs]).toEqual([1, 0]);
});

it("has no answer of a target that it doesn't deliver to", async () => {
  const delivery = harness.start({});
  expect(await deliver(delivery, ["a"], ["pulled"])).toEqual([
    { target: "pulled", delivered: [], failed: [] },
  ]);
});
