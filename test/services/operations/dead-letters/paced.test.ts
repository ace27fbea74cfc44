import { expect, it } from "vitest";
import { createPaced } from "../../../../services/operations/dead-letters/paced.ts";

/** A loader that takes 10 ms or more of its own clock, and counts its loads. */
function open() {
  const state = { nowMs: 0, loads: 0, isBroken: false, tookMs: 10 };
  const paced = createPaced(
    async () => {
      state.loads++;
      await Promise.resolve();
      state.nowMs += state.tookMs;
      if (state.isBroken) throw new Error("broken");
      return state.loads;
    },
    () => state.nowMs,
  );
  return { state, paced };
}

it("callers at the same time share a load", async () => {
  const { paced } = open();
  expect(await Promise.all([paced.get(), paced.get(), paced.get()])).toEqual([1, 1, 1]);
});

it("a result is used for 20 times as long as it took", async () => {
  const { state, paced } = open();
  await paced.get();
  state.nowMs = 209;
  expect(await paced.get()).toBe(1);
  state.nowMs = 210;
  expect(await paced.get()).toBe(2);
});

it("a result that took long is used for 2 s", async () => {
  const { state, paced } = open();
  state.tookMs = 1_000;
  await paced.get();
  state.nowMs = 2_999;
  expect(await paced.get()).toBe(1);
  state.nowMs = 3_000;
  expect(await paced.get()).toBe(2);
});

it("a forgotten result is loaded again", async () => {
  const { paced } = open();
  await paced.get();
  paced.forget();
  expect(await paced.get()).toBe(2);
});

it("a failure is not kept", async () => {
  const { state, paced } = open();
  state.isBroken = true;
  await expect(paced.get()).rejects.toThrow("broken");
  state.isBroken = false;
  expect(await paced.get()).toBe(2);
});
