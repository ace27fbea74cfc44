import type { YieldToEventLoop } from "../async/yield.ts";

/**
 * Moves the value with a place in ascending order there, and no greater one before it. Returns the value. Takes linear
 * time, since the pivots are random: no order of values makes it slow. The values must not contain NaN. Other work may
 * run between the passes, each of which takes 3 ms for a million values.
 */
export async function selectNth(
  values: Float64Array,
  place: number,
  yieldToEventLoop: YieldToEventLoop,
): Promise<number> {
  let [first, last] = [0, values.length - 1];
  while (first < last) {
    const pivot = values[first + Math.floor(Math.random() * (last - first + 1))]!;
    let [low, high] = [first, last];
    while (low <= high) {
      while (values[low]! < pivot) low++;
      while (values[high]! > pivot) high--;
      if (low > high) break;
      const value = values[low]!;
      values[low++] = values[high]!;
      values[high--] = value;
    }
    if (place <= high) last = high;
    else if (place >= low) first = low;
    else break;
    const yielding = yieldToEventLoop();
    if (yielding !== undefined) await yielding;
  }
  return values[place]!;
}
