import { expect, it } from "vitest";
import { Semaphore } from "../../../base/async/semaphore.ts";

it("lets at most this many hold it, and the others in their order", async () => {
  const semaphore = new Semaphore(2);
  const order: number[] = [];
  let [holders, most] = [0, 0];
  const work = async (i: number) => {
    using _slot = await semaphore.acquire();
    order.push(i);
    most = Math.max(most, ++holders);
    await Promise.resolve();
    holders--;
  };
  await Promise.all([1, 2, 3, 4, 5].map(work));
  expect([order, most]).toEqual([[1, 2, 3, 4, 5], 2]);
});

it("lets one after the other where it has one slot", async () => {
  const semaphore = new Semaphore(1);
  const first = await semaphore.acquire();
  let isEntered = false;
  const second = semaphore.acquire().then((slot) => {
    isEntered = true;
    return slot;
  });
  await Promise.resolve();
  expect(isEntered).toBe(false);
  first[Symbol.dispose]();
  (await second)[Symbol.dispose]();
  expect(isEntered).toBe(true);
});
