/** What the collection of young garbage needs. */
export interface YoungGarbagePorts {
  readonly collect: () => void;
  /** CPU time of this thread in ms. */
  readonly threadCpuMs: () => number;
  /** Monotonic clock in ms. */
  readonly monotonicMs: () => number;
}

/** Collects young garbage of this thread. */
export interface YoungGarbage {
  /** Collects when enough bytes went to workers since the last collection. */
  collectAfter(sentBytes: number): void;
}

/**
 * Bytes sent to workers after which this thread collects young garbage: the pieces of requests, and responses that are
 * sent. With few other objects, V8 would not collect until these buffers make it collect the whole heap, which takes as
 * much time as parsing.
 */
const bytesPerCollection = 1_048_576;

/**
 * The pause after a collection, as a multiple of the CPU time that it took: all of them together take at most 5 %
 * of the time. A collection copies the objects in use, which takes many ms where they are many.
 */
const pausePerCost = 19;

export function createYoungGarbage({ collect, threadCpuMs, monotonicMs }: YoungGarbagePorts): YoungGarbage {
  let bytes = 0;
  let pauseEndMs = 0;
  return {
    collectAfter(sentBytes) {
      bytes += sentBytes;
      if (bytes < bytesPerCollection || monotonicMs() < pauseEndMs) return;
      bytes = 0;
      const beforeMs = threadCpuMs();
      collect();
      const costMs = threadCpuMs() - beforeMs;
      pauseEndMs = monotonicMs() + costMs * pausePerCost;
    },
  };
}
