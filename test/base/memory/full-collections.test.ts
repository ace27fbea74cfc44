import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

const module = new URL("../../../base/memory/full-collections.ts", import.meta.url).href;

/** A heap of 44 MB may grow by 60 % here, of which the young generation is more than a half. */
const flags = ["--expose-gc", "--heap-growing-percent=60", "--min-semi-space-size=32"];

/** Reports whether V8 begins to collect all garbage while a heap grows by 35 MB. */
function collects(before: string): boolean {
  const script = `
    import { PerformanceObserver, constants } from "node:perf_hooks";
    import { setImmediate } from "node:timers/promises";
    import { delayFullCollections } from "${module}";
    ${before}
    const heap = Array.from({ length: 400_000 }, (_, at) => ({ at, text: [at] }));
    gc({ type: "major", execution: "sync" });
    await setImmediate();
    let begun = 0;
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries())
        if (detail.kind === constants.NODE_PERFORMANCE_GC_INCREMENTAL) begun++;
    }).observe({ entryTypes: ["gc"] });
    for (let count = 0; count < 730; count++) {
      heap.push(Array.from({ length: 1_250 }, (_, at) => ({ at })));
      await setImmediate();
    }
    await setImmediate();
    console.log(begun);`;
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, "--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return Number(stdout) > 0;
}

it("lets a heap grow before all of it is collected", () => {
  expect([collects(""), collects("delayFullCollections();")]).toEqual([true, false]);
});
