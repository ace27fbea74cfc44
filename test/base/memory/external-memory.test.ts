import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

const module = new URL("../../../base/memory/external-memory.ts", import.meta.url).href;

/** Returns how often a process with a heap of some size collects all of it, while it uses each of many buffers once. */
function collectionsOf(before: string): number {
  const script = `
    import { PerformanceObserver, constants } from "node:perf_hooks";
    import { setImmediate } from "node:timers/promises";
    import { countBuffersAsHeap } from "${module}";
    ${before}
    let collections = 0;
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries())
        if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++;
    }).observe({ entryTypes: ["gc"] });
    const heap = Array.from({ length: 300_000 }, (_, at) => ({ at }));
    for (let count = 0; count < 700; count++) {
      Buffer.alloc(1_048_576, heap.length);
      await setImmediate();
    }
    await setImmediate();
    console.log(collections);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return Number(stdout);
}

it("lets buffers which are used once cause fewer collections of the heap", () => {
  expect(collectionsOf("countBuffersAsHeap();")).toBeLessThan(collectionsOf("") * 0.75);
});
