/** Returns the most of these times in any window of `windowMs`. */
export function mostWithin(windowMs: number, times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let first = 0;
  return sorted.reduce((most, at, i) => {
    while (at - sorted[first]! >= windowMs) first++;
    return Math.max(most, i - first + 1);
  }, 0);
}

export const mostInSecond = (times: readonly number[]): number => mostWithin(1_000, times);
