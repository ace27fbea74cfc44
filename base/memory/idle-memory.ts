import { performance } from "node:perf_hooks";
import { getHeapSpaceStatistics } from "node:v8";
import { collectAllGarbage } from "./collect-garbage.ts";

/** What is known about a thread and done for it. */
export interface IdleMemoryPorts {
  /** Returns the share of the time since the last call, from 0 to 1, that the thread has worked. */
  readonly utilization: () => number;
  readonly usedBytes: () => UsedBytes;
  /**
   * Collects garbage and returns free memory to the system. After the start, it also removes compiled code, most of
   * which runs only once.
   */
  readonly collect: (after: "start" | "work") => Promise<void>;
}

/** The bytes that a thread's heap and its buffers take. */
export interface UsedBytes {
  /** Buffers, and large strings and arrays: what large calls leave. */
  readonly large: number;
  readonly all: number;
}

/** How many checks in a row find an idle thread before memory is freed, if `large` or `all` has grown. */
interface Pauses {
  readonly large: number;
  readonly all: number;
}

const checkMs = 1_000;
/**
 * The utilization below which a thread counts as idle. Seventy calls a second of some KB take more, and a collection
 * would delay several of them.
 */
const idleUtilization = 0.05;
/**
 * A collection while no call is open makes V8 discard optimized code, so that the next thousands of calls take twice
 * the time. What small calls left is not worth that before a longer pause.
 */
const usualPauses: Pauses = { large: 3, all: 12 };
/** The longest pause before a collection is repeated. */
const maxPause = 96;
/**
 * Buffers of small calls are less, since V8 collects all garbage for each 64 MiB of them, except with the shared
 * stores, where small calls may count as large.
 */
const minLargeBytes = 64 * 1024 * 1024;
/**
 * Collections after the start. Each gives up code that has not run since the one before, and moves no more than some
 * MiB out of pages that are not full. Four free 2 MiB more than one.
 */
const startCollections = 4;
/** A collection takes two pauses of up to 60 ms, so it must be worth while. */
const minGrowthBytes = 16 * 1024 * 1024;

/**
 * Frees memory of the calling thread whenever it has become idle: first what the start leaves, such as sources and
 * syntax trees, later what large calls leave, and after a longer pause what small calls leave. V8 collects nothing
 * while nothing is allocated, so that an idle server would keep it.
 */
export function freeIdleMemory(): Disposable {
  const collect: IdleMemoryPorts["collect"] = async (after) => {
    if (after === "work") await collectAllGarbage("regular");
    else for (let count = 0; count < startCollections; count++) await collectAllGarbage("last-resort");
  };
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
  let needed: UsedBytes = { large: 0, all: 0 };
  let after: "start" | "work" = "start";
  let isStarting = true;
  let isCollecting = false;
  let idle = 0;
  // The first idle moment is the end of the start.
  let pauses: Pauses = { large: 1, all: 1 };
  const isDue = (used: UsedBytes): boolean =>
    (idle >= pauses.large && used.large - needed.large >= minLargeBytes) ||
    (idle >= pauses.all && used.all - needed.all >= minGrowthBytes);
  return async () => {
    if (utilization() > idleUtilization) {
      if (!isStarting) {
        idle = 0;
        pauses = usualPauses;
      }
      return;
    }
    isStarting = false;
    idle++;
    if (isCollecting || !isDue(usedBytes())) return;
    isCollecting = true;
    await collect(after).finally(() => (isCollecting = false));
    const left = usedBytes();
    const isNeeded = after === "start" || left.all - needed.all < minGrowthBytes || pauses.large >= maxPause;
    after = "work";
    idle = 0;
    pauses = isNeeded ? usualPauses : { large: 2 * pauses.large, all: 2 * pauses.large };
    if (isNeeded) needed = left;
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

function usedBytes(): UsedBytes {
  const { heapTotal, external } = process.memoryUsage();
  const largeObjects = getHeapSpaceStatistics().filter(({ space_name }) =>
    space_name.includes("large_object"),
  );
  return {
    large: external + largeObjects.reduce((bytes, { space_size }) => bytes + space_size, 0),
    all: heapTotal + external,
  };
}
