import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createTurns } from "../../../store/events/duckdb/turns.ts";

const never = new AbortController().signal;

it("gives turns in the order in which they were asked for", async () => {
  const turns = createTurns(1, 3);
  const order: number[] = [];
  const asked = [1, 2, 3, 4].map(async (number) => {
    const giveBack = await turns.take(never);
    order.push(number);
    await setImmediate();
    giveBack();
    giveBack();
  });
  await expect(turns.take(never)).rejects.toThrow("1 queries run and 3 wait, at most 1 and 3 may");
  await Promise.all(asked);
  expect(order).toEqual([1, 2, 3, 4]);
  (await turns.take(never))();
});

it("lets who waits leave, without a turn getting lost", async () => {
  const turns = createTurns(1, 2);
  const giveBack = await turns.take(never);
  const controller = new AbortController();
  const leaving = turns.take(controller.signal);
  const staying = turns.take(never);
  controller.abort(new Error("gone"));
  await expect(leaving).rejects.toThrow("gone");
  giveBack();
  (await staying)();
  await expect(turns.take(controller.signal)).rejects.toThrow("gone");
  (await turns.take(never))();
});

it("never runs more than may, and ends with all turns given back", async () => {
  const step = fc.record({ yields: fc.nat(3), aborts: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.nat(4),
      fc.array(step),
      async (max, waiting, steps) => {
        const turns = createTurns(max, waiting);
        let running = 0;
        let most = 0;
        await Promise.allSettled(
          steps.map(async ({ yields, aborts }) => {
            const controller = new AbortController();
            const taken = turns.take(controller.signal);
            setImmediate().then(() => aborts && controller.abort());
            const giveBack = await taken;
            most = Math.max(most, ++running);
            for (let at = 0; at < yields; at++) await setImmediate();
            running--;
            giveBack();
          }),
        );
        expect(most).toBeLessThanOrEqual(max);
        const all = await Promise.all(Array.from({ length: max }, () => turns.take(never)));
        for (const giveBack of all) giveBack();
      },
    ),
  );
});
