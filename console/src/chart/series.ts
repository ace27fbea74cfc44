/** A line of a chart; `undefined` is a gap. */
export interface Series {
  readonly label: string;
  readonly values: readonly (number | undefined)[];
}

/** A line or bars over buckets, of which compared ones have labels of their own. */
export interface BucketSeries extends Series {
  readonly isCompared: boolean;
  /** The number of its colour, which it shares with the one it is compared with. */
  readonly color: number;
  readonly formatValue: (value: number) => string;
}

export interface Range {
  readonly last: number;
  readonly low: number;
  readonly high: number;
}

/** Returns what a sentence about a line says; undefined for a line without values. */
export function rangeOf({ values }: Series): Range | undefined {
  const present = values.filter((value) => value !== undefined);
  const last = present.at(-1);
  if (last === undefined) return undefined;
  return {
    last,
    low: present.reduce((low, value) => Math.min(low, value), last),
    high: present.reduce((high, value) => Math.max(high, value), last),
  };
}

/** A counter at a moment. */
export interface Reading {
  readonly ms: number;
  readonly count: number;
}

/** Returns the rates per second between readings of a counter. Where the counter was reset, there is a gap. */
export function ratesOf(readings: readonly Reading[]): (number | undefined)[] {
  return readings.slice(1).map(({ ms, count }, i) => {
    const before = readings[i]!;
    const seconds = (ms - before.ms) / 1_000;
    return count < before.count || seconds <= 0 ? undefined : (count - before.count) / seconds;
  });
}
