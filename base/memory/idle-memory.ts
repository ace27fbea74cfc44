import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What is known about a thread and done for it. */
export interface IdleMemoryPorts {
  /** Returns the share of the time since the last call, from 0 to 1, that the thread has worked. */
  readonly utilization: () => number;
  /** Returns the bytes that the thread's heap and its buffers take. */
  readonly usedBytes: () => number;
  /** Collects garbage and returns free memory to the system. */
  readonly collect: () => Promise<void>;
}

const checkMs = 1_000;
/** The utilization below which a thread counts as idle. */
const idleUtilization = 0.1;
/** Checks in a row that find an idle thread before its memory is freed. */
const idleChecks = 3;
/** A collection takes two pauses of up to 60 ms, so it must be worth while. */
const minGrowthBytes = 16 * 1024 * 1024;

/**
 * Frees memory of the calling thread whenever it has become idle: first what the start leaves, such as sources and
 * syntax trees, later what large calls leave. V8 collects nothing while nothing is allocated, so that an idle server
 * would keep it.
 */
export function freeIdleMemory(): Disposable {
  const check = createIdleCheck({ utilization: measureUtilization(), usedBytes, collect });
  const timer = setInterval(() => void check(), checkMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Returns what to call at equal intervals. It resolves when the memory that it frees is free. */
export function createIdleCheck({ utilization, usedBytes, collect }: IdleMemoryPorts): () => Promise<void> {
  let keptBytes = 0;
  // The first idle moment is the end of the start.
  let missing = 1;
  let isStarting = true;
  return async () => {
    if (utilization() > idleUtilization) {
      if (!isStarting) missing = idleChecks;
      return;
    }
    isStarting = false;
    missing--;
    if (missing > 0 || usedBytes() - keptBytes < minGrowthBytes) return;
    missing = idleChecks;
    await collect();
    keptBytes = usedBytes();
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

let gc: NodeJS.GCFunction | undefined;

async function collect(): Promise<void> {
  if (gc === undefined) {
    setFlagsFromString("--expose-gc");
    gc = runInNewContext("gc") as NodeJS.GCFunction;
  }
  await gc({ type: "major", execution: "async", flavor: "last-resort" });
}
