import { afterEach, beforeEach, expect, it } from "vitest";
import { allDone, type Behave, type Harness, names, newBatch, openHarness, policy } from "./harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(async () => {
  await harness[Symbol.asyncDispose]();
});

/** A behaviour that responds when it is told to. */
function holding(): { readonly behave: Behave; readonly release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    async behave(batch, signal) {
      await promise;
      return allDone(batch, signal);
    },
    release: resolve,
  };
}

it("lets running calls end, and gives what waits to the new target of the name at once", async () => {
  const [before, after] = [harness.target(1), harness.target(1)];
  const held = holding();
  before.behave = held.behave;
  const delivery = harness.start({ x: before }, { policy: { concurrency: 2 } });
  await harness.accept(names(6), ["x"]);
  await harness.clock.until(() => before.calls.length === 2);
  let isEnded = false;
  const removed = delivery.remove("x").then(() => {
    isEnded = true;
  });
  delivery.add({ name: "x", target: after, policy });
  await harness.clock.until(() => after.calls.length === 4);
  expect([before.calls.length, isEnded]).toEqual([2, false]);
  held.release();
  await harness.clock.until(() => isEnded);
  await removed;
  expect(await harness.counts("x")).toEqual({ accepted: 6, delivered: 6, dead: 0, pending: 0 });
  const all = [...before.calls, ...after.calls];
  expect(all.flatMap(({ pushIds }) => pushIds).toSorted()).toEqual(names(6));
  // What waited was not sent, so that its attempt does not count.
  expect(all.map(({ attempt }) => attempt)).toEqual(all.map(() => 1));
});

it("keeps the order of a push id over a change", async () => {
  const [before, after] = [harness.target(1), harness.target(1)];
  const held = holding();
  before.behave = held.behave;
  const delivery = harness.start({ x: before });
  await harness.accept(["u", "v"], ["x"], true);
  await harness.clock.until(() => before.calls.length === 2);
  await harness.accept(["u"], ["x"], true);
  await harness.accept(["w"], ["x"], true);
  const removed = delivery.remove("x");
  delivery.add({ name: "x", target: after, policy });
  await harness.clock.until(() => after.calls.length === 1);
  // The second message of u waits for the first one, which the old target has not answered.
  expect(after.calls.map(({ pushIds }) => pushIds)).toEqual([["w"]]);
  held.release();
  await harness.clock.until(harness.isSettled);
  await removed;
  expect(after.calls.map(({ pushIds }) => pushIds)).toEqual([["w"], ["u"]]);
});

it("waits for calls for which a sender waits", async () => {
  const x = harness.target();
  const held = holding();
  x.behave = held.behave;
  const delivery = harness.start({ x });
  const answering = delivery.deliverNow({ ...newBatch(["u"], ["x"]), batchId: "b1" }, 5_000);
  await harness.clock.until(() => x.calls.length === 1);
  let isEnded = false;
  const removed = delivery.remove("x").then(() => {
    isEnded = true;
  });
  await harness.clock.pass(100);
  expect(isEnded).toBe(false);
  held.release();
  expect(await answering).toMatchObject([{ target: "x", delivered: [0] }]);
  await removed;
});

it("leaves the messages of a removed target in the inbox", async () => {
  const x = harness.target();
  const delivery = harness.start({ x });
  await delivery.remove("x");
  await harness.accept(names(2), ["x"]);
  await harness.clock.pass(10_000);
  expect(await harness.counts("x")).toMatchObject({ accepted: 2, pending: 2 });
  delivery.add({ name: "x", target: x, policy });
  await harness.clock.until(harness.isSettled);
  expect(x.calls.map(({ pushIds }) => pushIds)).toEqual([names(2)]);
});

it("ends the calls of a removed target when it stops", async () => {
  const x = harness.target();
  x.behave = () => new Promise(() => {});
  const delivery = harness.start({ x }, { policy: { timeoutMs: 60_000 } });
  await harness.accept(["u"], ["x"]);
  await harness.clock.until(() => x.calls.length === 1);
  const removed = delivery.remove("x");
  let isStopped = false;
  const stopped = delivery.stop(1_000).then(() => {
    isStopped = true;
  });
  await harness.clock.until(() => isStopped);
  await Promise.all([removed, stopped]);
  expect(await harness.counts("x")).toMatchObject({ pending: 1 });
});

it("refuses two targets of one name", () => {
  const delivery = harness.start({ x: harness.target() });
  expect(() => delivery.add({ name: "x", target: harness.target(), policy })).toThrow(/target x/);
});
