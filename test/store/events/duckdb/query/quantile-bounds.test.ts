import { describe, expect, it } from "vitest";
import { createYield } from "../../../../../base/async/yield.ts";
import { selectNth } from "../../../../../base/collections/select-nth.ts";
import { widest } from "../../../../../store/events/duckdb/query/middle-values.ts";
import { boundsOf, countIn, type Sample } from "../../../../../store/events/duckdb/query/quantile-bounds.ts";
import { createRandom } from "../../../../reference/random.ts";

interface Given {
  readonly groups?: number;
  /** The number of values in a bucket of a group. */
  readonly size?: (group: number, bucket: number) => number;
  readonly toValue?: (random: number, group: number, bucket: number) => number;
}

const buckets = 10;

function sampleOf({ groups = 4, size = () => 500, toValue = (one) => one }: Given = {}): Sample {
  const random = createRandom(5);
  const cells = Array.from({ length: groups * buckets }, (_, cell) => {
    const [group, bucket] = [Math.floor(cell / buckets), cell % buckets];
    const values = Float64Array.from({ length: size(group, bucket) }, () =>
      toValue(random.next(), group, bucket),
    );
    return { group, bucket, values };
  });
  return { cells, share: 0.1, buckets };
}

/** A group that is a hundredth of all, with other values. */
const withSmall: Given = {
  groups: 3,
  size: (group) => (group === 2 ? 8 : 400),
  toValue: (random, group) => (group === 2 ? 1000 : random),
};

/** A bucket that has few values, which are others. */
const withSmallBucket: Given = {
  size: (_, bucket) => (bucket === 9 ? 20 : 500),
  toValue: (random, _, bucket) => (bucket === 9 ? 1000 : random),
};

describe("bounds of quantiles", () => {
  it.each<[string, Given, number, number, readonly [low: number, high: number]]>([
    ["are near the quantile", {}, 0.5, 1, [0.4, 0.6]],
    ["contain the groups", { toValue: (random, group) => random + group }, 0.5, 1, [0.4, 3.6]],
    ["contain the buckets", { toValue: (random, _, bucket) => random + bucket }, 0.5, 1, [0, 10]],
    ["contain small groups", withSmall, 0.5, 1, [0.3, 1001]],
    ["leave out small groups that can be selected", withSmall, 0.5, 0.95, [0.4, 0.6]],
    ["leave out buckets with few values", withSmallBucket, 0.5, 1, [0.4, 0.6]],
    ["contain the only value", { toValue: () => 7 }, 0.5, 1, [7, 7.001]],
    ["contain -0 and 0", { toValue: () => -0 }, 0.5, 1, [0, 1e-300]],
    ["contain the highest value", {}, 1, 1, [0.9, widest[1]]],
    ["contain the lowest value", {}, 0, 1, [widest[0], 0.1]],
    ["contain what one cell may have", { size: () => 1 }, 0.5, 1, widest],
  ])("%s", async (_what, given, fraction, mainShare, [least, most]) => {
    const sample = sampleOf(given);
    const [low, high] = await boundsOf(sample, fraction, mainShare, createYield());
    expect(low).toBeGreaterThanOrEqual(least);
    expect(high).toBeLessThanOrEqual(most);
    expect(await countIn(sample, [low, high], createYield())).toBeGreaterThan(0);
  });

  it.each([0.05, 0.5, 0.95])("contain the quantile %d of large cells", async (fraction) => {
    const random = createRandom(9);
    const [low, high] = await boundsOf(sampleOf(), fraction, 1, createYield());
    let outside = 0;
    for (let cell = 0; cell < 400; cell++) {
      const values = Float64Array.from({ length: 5_000 }, () => random.next());
      const quantile = await selectNth(values, Math.round(fraction * 4_999), createYield());
      if (quantile < low || quantile >= high) outside++;
    }
    expect(outside).toBeLessThanOrEqual(1);
  });
});
