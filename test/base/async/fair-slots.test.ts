import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFairSlots, type FairSlotsOptions, type Sharer } from "../../../base/async/fair-slots.ts";

const never = new AbortController().signal;
const one: Sharer = { group: 1, member: "one" };
const two: Sharer = { group: 1, member: "two" };
const other: Sharer = { group: 2, member: "other" };

const slotsOf = (options: Partial<FairSlotsOptions>) =>
  createFairSlots({
    maxRunning: 1,
    reserved: 0,
    maxWaiting: 3,
    refuse: ({ running, waiting }) => new Error(`${running} run and ${waiting} wait`),
    ...options,
  });

it("serves one sharer in the order of its requests", async () => {
  const slots = slotsOf({});
  const order: number[] = [];
  const asked = [1, 2, 3, 4].map(async (number) => {
    const giveBack = await slots.take(one, never);
    order.push(number);
    await setImmediate();
    giveBack();
    giveBack();
  });
  await expect(slots.take(one, never)).rejects.toThrow("1 run and 3 wait");
  await Promise.all(asked);
  expect(order).toEqual([1, 2, 3, 4]);
  (await slots.take(one, never))();
});

it("lets a waiting request leave, without a slot getting lost", async () => {
  const slots = slotsOf({ maxWaiting: 2 });
  const giveBack = await slots.take(one, never);
  const controller = new AbortController();
  const leaving = slots.take(one, controller.signal);
  const staying = slots.take(one, never);
  controller.abort(new Error("gone"));
  await expect(leaving).rejects.toThrow("gone");
  giveBack();
  (await staying)();
  await expect(slots.take(one, controller.signal)).rejects.toThrow("gone");
  (await slots.take(one, never))();
  expect(slots.counts()).toEqual({ running: 0, waiting: 0 });
});

/** Which requests of a list, made one after the other and never given back, start at once. */
async function started(options: Partial<FairSlotsOptions>, requests: readonly Sharer[]): Promise<boolean[]> {
  const slots = slotsOf(options);
  const done = requests.map(() => false);
  requests.forEach((sharer, at) => {
    slots.take(sharer, never).then(
      () => {
        done[at] = true;
      },
      () => undefined,
    );
  });
  await setImmediate();
  return done;
}

const third: Sharer = { group: 1, member: "three" };
const spread: Sharer = { group: 3, member: "one" };

describe("slots that start at once", () => {
  it.each<[string, Partial<FairSlotsOptions>, Sharer[], boolean[]]>([
    [
      "all for one that is alone, none reserved",
      { maxRunning: 2, reserved: 2 },
      [one, one, one],
      [true, true, false],
    ],
    [
      "a reserved one for a second token",
      { maxRunning: 1, reserved: 2 },
      [one, two, one],
      [true, true, false],
    ],
    [
      "the last reserved one for another project",
      { maxRunning: 1, reserved: 2 },
      [one, two, third, other],
      [true, true, false, true],
    ],
    [
      "no further one for a token that has one elsewhere",
      { maxRunning: 1, reserved: 2 },
      [one, spread],
      [true, false],
    ],
    ["none without reserve", { maxRunning: 1, reserved: 0 }, [one, other], [true, false]],
  ])("%s", async (_what, options, requests, expected) => {
    expect(await started(options, requests)).toEqual(expected);
  });
});

it("alternates between sharers, however many requests one of them has waiting", async () => {
  const slots = slotsOf({ maxWaiting: 10 });
  const order: string[] = [];
  const work = async (sharer: Sharer) => {
    const giveBack = await slots.take(sharer, never);
    order.push(sharer.member);
    await setImmediate();
    giveBack();
  };
  const flood = Array.from({ length: 8 }, () => work(one));
  await Promise.all([...flood, work(two), work(other), work(other)]);
  expect(order.slice(0, 6)).toEqual(["one", "other", "two", "other", "one", "one"]);
});

it("lets one sharer fill its own places only", async () => {
  const slots = slotsOf({ maxWaiting: 1 });
  await slots.take(one, never);
  const waiting = [one, two, other].map((sharer) => slots.take(sharer, never));
  await expect(slots.take(one, never)).rejects.toThrow("1 run and 3 wait");
  expect(slots.counts()).toEqual({ running: 1, waiting: waiting.length });
  waiting.push(slots.take({ group: 3, member: "fourth" }, never));
  await expect(slots.take({ group: 4, member: "fifth" }, never)).rejects.toThrow("1 run and 4 wait");
});

it("never runs more than may, and ends with all slots given back", async () => {
  const step = fc.record({
    yields: fc.nat(3),
    aborts: fc.boolean(),
    group: fc.nat(2),
    member: fc.constantFrom("a", "b", "c"),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.record({ maxRunning: fc.integer({ min: 1, max: 3 }), reserved: fc.nat(2), maxWaiting: fc.nat(4) }),
      fc.array(step),
      async (options, steps) => {
        const slots = slotsOf(options);
        let running = 0;
        let most = 0;
        await Promise.allSettled(
          steps.map(async ({ yields, aborts, ...sharer }) => {
            const controller = new AbortController();
            const taken = slots.take(sharer, controller.signal);
            setImmediate().then(() => aborts && controller.abort());
            const giveBack = await taken;
            most = Math.max(most, ++running);
            for (let at = 0; at < yields; at++) await setImmediate();
            running--;
            giveBack();
          }),
        );
        expect(most).toBeLessThanOrEqual(options.maxRunning + options.reserved);
        expect(slots.counts()).toEqual({ running: 0, waiting: 0 });
        const all = await Promise.all(
          Array.from({ length: options.maxRunning }, () => slots.take(one, never)),
        );
        for (const giveBack of all) giveBack();
      },
    ),
  );
});
