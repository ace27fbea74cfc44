import type { YieldToEventLoop } from "../../../base/async/yield.ts";

/** The number of items that are sorted at once, which takes some milliseconds. */
const runLength = 2_048;

/** Sorts without blocking the event loop for long: it sorts runs and merges them. */
export async function sortYielding<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  yieldToEventLoop: YieldToEventLoop,
): Promise<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += runLength) {
    runs.push(items.slice(from, from + runLength).sort(compare));
    await yieldToEventLoop();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await merge(runs[at]!, runs[at + 1] ?? [], compare, yieldToEventLoop));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
  yieldToEventLoop: YieldToEventLoop,
): Promise<T[]> {
  const merged: T[] = [];
  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    const isLeft = r >= right.length || (l < left.length && compare(left[l]!, right[r]!) <= 0);
    merged.push(isLeft ? left[l++]! : right[r++]!);
    if (merged.length % runLength === 0) await yieldToEventLoop();
  }
  return merged;
}
