import { expect, it } from "vitest";
import { createYield, mapYielding } from "../../../base/async/yield.ts";

/** A clock that is 1 ms further each time it is read. */
function ticking(): () => number {
  let ms = 0;
  return () => ms++;
}

it("waits for nothing until the slice is over", async () => {
  const yieldToEventLoop = createYield({ sliceMs: 4, monotonicMs: ticking() });
  const waits = Array.from({ length: 4 }, () => yieldToEventLoop());
  expect(waits.map((wait) => wait !== undefined)).toEqual([false, false, false, true]);
  await waits[3];
  expect(yieldToEventLoop()).toBeUndefined();
});

it("lets other work run", async () => {
  const order: string[] = [];
  setImmediate(() => order.push("other"));
  await createYield({ sliceMs: 0 })();
  order.push("this");
  expect(order).toEqual(["other", "this"]);
});

it("resumes one piece of work in each iteration of the event loop", async () => {
  const order: string[] = [];
  const works = [1, 2, 3].map(async (number) => {
    await createYield({ sliceMs: 0 })();
    order.push(`work ${number}`);
  });
  const iteration = (number: number): void => {
    order.push(`iteration ${number}`);
    if (number < 3) setImmediate(iteration, number + 1);
  };
  setImmediate(iteration, 1);
  await Promise.all(works);
  expect(order).toEqual(["work 1", "iteration 1", "work 2", "iteration 2", "work 3"]);
});

it("throws the reason of a signal that is aborted meanwhile", async () => {
  const call = new AbortController();
  const yieldToEventLoop = createYield({ sliceMs: 0, signal: call.signal });
  setImmediate(() => call.abort(new Error("gone")));
  await expect(yieldToEventLoop()).rejects.toThrow("gone");
});

it("maps as Array.map does", async () => {
  const yieldToEventLoop = createYield({ sliceMs: 0 });
  expect(await mapYielding([1, 2, 3], (n) => 2 * n, yieldToEventLoop)).toEqual([2, 4, 6]);
});

it("gives all work that begins in one iteration of the event loop one slice", async () => {
  const first = createYield();
  while (first() === undefined);
  const second = createYield();
  const wait = second();
  expect(wait).toBeInstanceOf(Promise);
  await wait;
});
