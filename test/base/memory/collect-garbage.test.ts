import { constants, PerformanceObserver } from "node:perf_hooks";
import { setImmediate as nextIteration } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import { collectAllGarbage, collectYoungGarbage } from "../../../base/memory/collect-garbage.ts";

/** Resolves with the kind of the next collection that V8 was told to make. */
function forcedCollection(): Promise<number> {
  return new Promise((resolve) => {
    const observer = new PerformanceObserver((list) => {
      const details = list
        .getEntries()
        .map((entry) => (entry as unknown as { detail: { kind: number; flags: number } }).detail);
      const forced = details.find(({ flags }) => (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0);
      if (forced === undefined) return;
      observer.disconnect();
      resolve(forced.kind);
    });
    observer.observe({ entryTypes: ["gc"] });
  });
}

beforeEach(async () => {
  // Collections before a test are reported in the next iterations of the event loop.
  await nextIteration();
  await nextIteration();
});

it("collects young garbage alone", async () => {
  const collected = forcedCollection();
  collectYoungGarbage();
  expect(await collected).toBe(constants.NODE_PERFORMANCE_GC_MINOR);
});

it("collects all garbage", async () => {
  const collected = forcedCollection();
  await collectAllGarbage("regular");
  expect(await collected).toBe(constants.NODE_PERFORMANCE_GC_MAJOR);
});
