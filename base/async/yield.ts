/**
 * Awaited between two steps of long work. It lets the event loop do other work when
 * this one has held it for some milliseconds, and returns undefined otherwise,
 * which costs least.
 */
export type YieldToEventLoop = () => Promise<void> | undefined;

/**
 * It is longer than most other pieces of work. A call takes two or three iterations of the event loop, in each of which
 * it may wait for one slice.
 */
const defaultSliceMs = 2;

/** Loops over items of a microsecond or less need to yield only after this many of them. */
export const itemsPerYield = 1_024;

export interface YieldOptions {
  readonly sliceMs?: number;
  /** When the signal is aborted, its reason is thrown after the event loop has run. */
  readonly signal?: AbortSignal;
  readonly monotonicMs?: () => number;
}

/** Work that waits to go on, in the order of its waits. */
const waiting: (() => void)[] = [];

/** When the slices of this iteration of the event loop end; undefined before the first. */
let iterationEndMs: number | undefined;

/**
 * Waits for an iteration of the event loop of its own. If all waiting work went on in the same iteration, as it does
 * after `setImmediate`, the iteration would take a slice for each.
 */
function nextIteration(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeNext);
  });
}

function resumeNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
}

/** Returns the end of the slice of work that begins in this iteration, in which all such work shares one. */
function endOfFirstSlice(startMs: number): number {
  if (iterationEndMs === undefined) {
    iterationEndMs = startMs + defaultSliceMs;
    setImmediate(endIteration);
  }
  return iterationEndMs;
}

function endIteration(): void {
  iterationEndMs = undefined;
}

const processMs = (): number => performance.now();

/** It costs tens of nanoseconds a call, so a step should take microseconds. */
export function createYield({
  sliceMs = defaultSliceMs,
  signal,
  monotonicMs = processMs,
}: YieldOptions = {}): YieldToEventLoop {
  const startMs = monotonicMs();
  let untilMs: number | undefined;
  return () => {
    if (untilMs === undefined) {
      untilMs = startMs + sliceMs;
      if (monotonicMs === processMs) untilMs = Math.min(untilMs, endOfFirstSlice(startMs));
    }
    if (monotonicMs() < untilMs) return undefined;
    return nextIteration().then(() => {
      signal?.throwIfAborted();
      untilMs = monotonicMs() + sliceMs;
    });
  };
}

/** Like `items.map(work)`, but lets the event loop do other work between the items. */
export async function mapYielding<T, U>(
  items: readonly T[],
  work: (item: T) => U,
  yieldToEventLoop: YieldToEventLoop,
): Promise<U[]> {
  const done: U[] = [];
  for (const item of items) {
    done.push(work(item));
    const yielding = yieldToEventLoop();
    if (yielding !== undefined) await yielding;
  }
  return done;
}
