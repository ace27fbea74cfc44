import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const checkMs = 1_000;
/** The share of a second that the main thread works, below which it counts as idle. */
const idleUtilization = 0.1;

/**
 * Frees the memory that the start leaves in the heap, such as sources and syntax trees: 30 of 165 MiB. An idle server
 * would keep it, since nothing is collected while nothing is allocated. The collection takes two pauses of about
 * 60 ms, so it waits for the first idle second.
 */
export function freeStartupMemory(): void {
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > idleUtilization) return;
    clearInterval(timer);
    void exposedGc()({ type: "major", execution: "async", flavor: "last-resort" });
  }, checkMs).unref();
}

function exposedGc(): NodeJS.GCFunction {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as NodeJS.GCFunction;
}

/** Memory of buffers after whose growth the young ones are collected. V8 begins to mark the heap after 16 to 60 MiB. */
const growthBytes = 8 * 1_048_576;
/** Less than this between two checks counts as no change. */
const quietBytes = 1_048_576;
const minDelayMs = 10;
const maxDelayMs = 320;

/**
 * Collects young buffers before V8 collects the whole heap. V8 adds the memory of new buffers to that of the heap, and
 * marks all of it at a limit, which pauses for 10 to 30 ms where processors are busy. Bodies and chunks of sockets may
 * reach it several times a second, and nearly all are garbage by then; a collection of the young generation, which takes
 * less time, frees them.
 */
export class YoungBuffers {
  readonly #externalBytes: () => number;
  readonly #collect: () => void;
  #least = Number.POSITIVE_INFINITY;
  #last = 0;
  #delayMs = maxDelayMs;

  /**
   * @param externalBytes returns the memory of all buffers
   * @param collect collects the young generation
   */
  constructor(externalBytes: () => number, collect: () => void) {
    this.#externalBytes = externalBytes;
    this.#collect = collect;
  }

  /** Collects if there is much to free. Returns the time until the next check, which is longer while nothing changes. */
  check(): number {
    let bytes = this.#externalBytes();
    const isQuiet = Math.abs(bytes - this.#last) < quietBytes;
    this.#delayMs = isQuiet ? Math.min(maxDelayMs, this.#delayMs * 2) : minDelayMs;
    this.#least = Math.min(this.#least, bytes);
    if (bytes - this.#least >= growthBytes) {
      this.#collect();
      bytes = this.#externalBytes();
      // What is left is in use, or old.
      this.#least = bytes;
    }
    this.#last = bytes;
    return this.#delayMs;
  }
}

/** Watches the memory of buffers until the process exits. */
export function collectYoungBuffers(): void {
  const gc = exposedGc();
  const buffers = new YoungBuffers(
    () => getHeapStatistics().external_memory,
    () => void gc({ type: "minor", execution: "sync" }),
  );
  const check = (): void => {
    setTimeout(check, buffers.check()).unref();
  };
  check();
}
