import { performance } from "node:perf_hooks";
import { collectAllGarbage } from "./collect-garbage.ts";

/** What is known about a thread and done for it. */
export interface IdleMemoryPorts {
  /** Returns the share of the time since the last call, from 0 to 1, that the thread has worked. */
  readonly utilization: () => number;
  /** Returns the bytes that the thread's heap and its buffers take. */
  readonly usedBytes: () => number;
  /**
   * Collects garbage and returns free memory to the system. After the start, it also removes compiled code, most of
   * which runs only once.
   */
  readonly collect: (after: "start" | "work") => Promise<void>;
}

const checkMs = 1_000;
/** The utilization below which a thread counts as idle. */
const idleUtilization = 0.1;
/** Checks in a row that find an idle thread before its memory is freed. */
const idleChecks = 3;
/** The longest pause before a collection is repeated, in checks. */
const maxIdleChecks = 96;
/** A collection takes two pauses of up to 60 ms, so it must be worth while. */
const minGrowthBytes = 16 * 1024 * 1024;

/**
 * Frees memory of the calling thread whenever it has become idle: first what the start leaves, such as sources and
 * syntax trees, later what large calls leave. V8 collects nothing while nothing is allocated, so that an idle server
 * would keep it.
 */
export function freeIdleMemory(): Disposable {
  const collect: IdleMemoryPorts["collect"] = (after) =>
    collectAllGarbage(after === "start" ? "last-resort" : "regular");
  const check = createIdleCheck({ utilization: measureUtilization(), usedBytes, collect });
  const timer = setInterval(() => void check(), checkMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/**
 * Returns what to call at equal intervals. It resolves when the memory that it frees is free. A collection that leaves
 * much memory, such as of a call that waits, is repeated after longer and longer pauses, until what is left counts as
 * needed.
 */
export function createIdleCheck({ utilization, usedBytes, collect }: IdleMemoryPorts): () => Promise<void> {
  let neededBytes = 0;
  let after: "start" | "work" = "start";
  let isStarting = true;
  let isCollecting = false;
  let pause = idleChecks;
  // The first idle moment is the end of the start.
  let missing = 1;
  return async () => {
    if (utilization() > idleUtilization) {
      if (!isStarting) missing = pause = idleChecks;
      return;
    }
    isStarting = false;
    missing--;
    if (isCollecting || missing > 0 || usedBytes() - neededBytes < minGrowthBytes) return;
    isCollecting = true;
    await collect(after).finally(() => (isCollecting = false));
    const leftBytes = usedBytes();
    const isNeeded = after === "start" || leftBytes - neededBytes < minGrowthBytes || pause >= maxIdleChecks;
    after = "work";
    pause = isNeeded ? idleChecks : 2 * pause;
    missing = pause;
    if (isNeeded) neededBytes = leftBytes;
  };
}

function measureUtilization(): () => number {
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

function usedBytes(): number {
  const { heapTotal, external } = process.memoryUsage();
  return heapTotal + external;
}
