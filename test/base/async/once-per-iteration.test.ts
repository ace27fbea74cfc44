import { expect, test } from "vitest";
import { oncePerIteration } from "../../../base/async/once-per-iteration.ts";

test("calls of one turn share a run, which begins after them", async () => {
  let runs = 0;
  const call = oncePerIteration(() => ++runs);
  const calls = Array.from({ length: 1_000 }, call);
  expect(runs).toBe(0);
  expect(new Set(await Promise.all(calls))).toEqual(new Set([1]));
});

test("a call that comes while a run is under way gets the next one", async () => {
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const ended = [Promise.withResolvers<number>(), Promise.withResolvers<number>()] as const;
  let runs = 0;
  const call = oncePerIteration(() => {
    const run = runs++;
    begun[run]?.resolve();
    return ended[run]!.promise;
  });
  const first = call();
  await begun[0].promise;
  const second = call();
  await begun[1].promise;
  ended[1].resolve(2);
  expect(await second).toBe(2);
  ended[0].resolve(1);
  expect(await first).toBe(1);
});

test("a run that fails fails its calls only", async () => {
  const outcomes = [() => Promise.reject(new Error("no")), () => "yes"];
  const call = oncePerIteration(() => outcomes.shift()!());
  expect(await Promise.allSettled([call(), call()])).toMatchObject([
    { status: "rejected" },
    { status: "rejected" },
  ]);
  expect(await call()).toBe("yes");
});
