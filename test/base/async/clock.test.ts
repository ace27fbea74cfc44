import { expect, it } from "vitest";
import { systemClock as clock } from "../../../base/async/clock.ts";

it("waits until the time is over", async () => {
  const startMs = clock.monotonicMs();
  await clock.wait(5, new AbortController().signal);
  expect(clock.monotonicMs()).toBeGreaterThan(startMs);
});

it("waits no longer than the signal lets it", async () => {
  const call = new AbortController();
  const waiting = clock.wait(2 ** 40, call.signal);
  call.abort();
  await waiting;
  await clock.wait(2 ** 40, call.signal);
  expect(call.signal.aborted).toBe(true);
});

it("takes a time in the past for now", async () => {
  await clock.wait(-5, new AbortController().signal);
  expect(clock.now()).toBeGreaterThan(1_700_000_000_000);
});

it("calls back unless that is cancelled", async () => {
  const called: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(1, () => called.push("cancelled"));
  clock.after(2, () => called.push("after"));
  clock.after(5, resolve);
  cancel();
  await promise;
  expect(called).toEqual(["after"]);
});
