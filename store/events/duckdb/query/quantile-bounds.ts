import type { YieldToEventLoop } from "../../../../base/async/yield.ts";
import { selectNth } from "../../../../base/collections/select-nth.ts";
import { type Bounds, join, sizeOf, widest } from "./middle-values.ts";

/** The values of a sample in one group and bucket. */
export interface SampleCell {
  readonly group: number;
  readonly bucket: number;
  readonly values: Float64Array;
}

export interface Sample {
  readonly cells: readonly SampleCell[];
  /** The sample's share of all values. */
  readonly share: number;
  readonly buckets: number;
}

/** Deviations that are allowed for, so that few of hundreds of cells are outside. */
const deviations = 3.5;

/** At the ends of the range, where a deviation says little, this many values are between a bound and the quantile. */
const leastValues = 8;

/** Buckets with less than this share of the mean do not count, since their quantiles vary most. */
const smallBucket = 0.05;

/**
 * Returns bounds between which the quantiles of most cells lie, and of all groups that hold a share of all values. They
 * follow from the quantiles of groups, how far cells of their size deviate, and how far buckets differ. Bounds that are
 * too narrow cost time, not accuracy.
 */
export async function boundsOf(
  sample: Sample,
  fraction: number,
  mainShare: number,
  yieldToEventLoop: YieldToEventLoop,
): Promise<Bounds> {
  const groups = mainGroups(sample, mainShare);
  const all = groups.flat();
  const quantileOf = createQuantileOf(yieldToEventLoop);
  const center = await quantileOf(join(all), fraction);
  let [down, up] = [0, 0];
  const mean = sizeOf(all) / sample.buckets;
  for (const cells of Map.groupBy(all, ({ bucket }) => bucket).values()) {
    const values = join(cells);
    if (values.length < mean * smallBucket) continue;
    const deviation = Math.sqrt((fraction * (1 - fraction)) / values.length);
    down = Math.min(down, (await quantileOf(values, fraction + deviation)) - center);
    up = Math.max(up, (await quantileOf(values, fraction - deviation)) - center);
    await yieldToEventLoop();
  }
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const cells of groups) {
    const values = join(cells);
    const cell = values.length / sample.share / sample.buckets;
    const deviation = Math.sqrt(fraction * (1 - fraction) * (1 / values.length + 1 / cell));
    const margin = deviations * deviation + leastValues / Math.min(values.length, cell);
    low = Math.min(low, fraction < margin ? widest[0] : await quantileOf(values, fraction - margin));
    high = Math.max(high, fraction + margin > 1 ? widest[1] : await quantileOf(values, fraction + margin));
    await yieldToEventLoop();
  }
  return [Math.max(low + down, widest[0]), Math.min(afterOf(high + up), widest[1])];
}

/** Returns the number of values of a sample in a range. */
export async function countIn(
  { cells }: Sample,
  [low, high]: Bounds,
  yieldToEventLoop: YieldToEventLoop,
): Promise<number> {
  let count = 0;
  for (const { values } of cells) {
    for (const value of values) if (value >= low && value < high) count++;
    await yieldToEventLoop();
  }
  return count;
}

/** Returns the cells of each of the largest groups, which hold a share of all values. */
function mainGroups({ cells }: Sample, mainShare: number): readonly (readonly SampleCell[])[] {
  const groups = [...Map.groupBy(cells, ({ group }) => group).values()].sort((a, b) => sizeOf(b) - sizeOf(a));
  const wanted = sizeOf(cells) * mainShare;
  const main: (readonly SampleCell[])[] = [];
  let seen = 0;
  for (const group of groups) {
    if (seen >= wanted) break;
    seen += sizeOf(group);
    main.push(group);
  }
  return main;
}

/** Returns a function which returns a quantile and reorders the values. */
function createQuantileOf(yieldToEventLoop: YieldToEventLoop) {
  return async (values: Float64Array, fraction: number): Promise<number> => {
    const inside = Math.min(Math.max(fraction, 0), 1);
    return await selectNth(values, Math.round(inside * (values.length - 1)), yieldToEventLoop);
  };
}

/** Returns a number that is a little greater, so that the bound itself is in the range. */
const afterOf = (bound: number): number =>
  bound + Math.max(Math.abs(bound) * Number.EPSILON, Number.MIN_VALUE);
