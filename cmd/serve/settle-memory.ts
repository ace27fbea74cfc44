import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const lookMs = 1_000;
/** Of a second that the main thread worked. */
const quiet = 0.1;

/**
 * Gives back what the start has left in the heap, sources and syntax trees that
 * nobody needs any more: 30 of 165 MiB. An idle server would keep them, since
 * nothing is collected while nothing is allocated. It takes two pauses of about
 * 60 ms, so it waits for the first second with little to do.
 */
export function settleMemory(): void {
  let before = performance.eventLoopUtilization();
  const looking = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > quiet) return;
    clearInterval(looking);
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as NodeJS.GCFunction;
    void collect({ type: "major", execution: "async", flavor: "last-resort" });
  }, lookMs).unref();
}
