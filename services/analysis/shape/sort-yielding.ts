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

/** The number of numbers that are sorted at once, which takes about a millisecond. */
const numbersAtOnce = 16_384;

/** Sorts numbers in place as typed arrays do, NaN last, without blocking the event loop for long. */
export async function sortNumbersYielding(
  numbers: Float64Array,
  yieldToEventLoop: YieldToEventLoop,
): Promise<void> {
  for (let from = 0; from < numbers.length; from += numbersAtOnce) {
    numbers.subarray(from, from + numbersAtOnce).sort();
    await yieldToEventLoop();
  }
  let sorted = numbers;
  let merged: Float64Array = new Float64Array(numbers.length);
  for (let width = numbersAtOnce; width < numbers.length; width *= 2) {
    await mergeNumbers(sorted, merged, width, yieldToEventLoop);
    [sorted, merged] = [merged, sorted];
  }
  if (sorted !== numbers) numbers.set(sorted);
}

/** Merges each two neighbouring runs of `width` numbers. */
async function mergeNumbers(
  from: Float64Array,
  to: Float64Array,
  width: number,
  yieldToEventLoop: YieldToEventLoop,
): Promise<void> {
  let [left, right, leftEnd, rightEnd] = [0, 0, 0, 0];
  for (let at = 0; at < from.length; at++) {
    if (at === rightEnd) {
      leftEnd = right = Math.min(at + width, from.length);
      rightEnd = Math.min(right + width, from.length);
      left = at;
    }
    const isLeft =
      right === rightEnd || (left < leftEnd && !(from[right]! < from[left]! || Number.isNaN(from[left]!)));
    to[at] = isLeft ? from[left++]! : from[right++]!;
    if (at % numbersAtOnce === 0) await yieldToEventLoop();
  }
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
