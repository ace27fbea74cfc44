import type { GroupKey, Measure, Predicate, Scan, ScanResult } from "../../scan.ts";
import { narrow } from "../../sql/buckets.ts";

/** When values between bounds are collected instead of all. */
export interface NarrowTotals {
  /** The least number of values; with fewer, further statements take as long as they save. */
  readonly minValues: number;
  /** The largest share of the values between the bounds, as estimated. */
  readonly maxShare: number;
  /** With more cells, all values are collected: reading the cells takes the time that their bounds save. */
  readonly maxCells: number;
  /** The values between the bounds that are read at most; all groups have the same part of it. */
  readonly maxCollected: number;
}

export const narrowTotals: NarrowTotals = {
  minValues: 500_000,
  maxShare: 0.15,
  maxCells: 100_000,
  maxCollected: 1_000_000,
};

export type Quantile = Measure & { readonly aggregate: { readonly kind: "quantile" } };

/** The total of a quantile that is searched, and what is known. Cells are the buckets of one group after the other. */
export interface Searched {
  readonly measure: Quantile;
  /** The number of values of each group. */
  readonly counts: Float64Array;
  /** The quantile of each cell; NaN without values. */
  readonly quantiles: Float64Array;
  /** The number of values of each cell. */
  readonly sizes: Float64Array;
  /** The total of each group that is found; NaN of others. */
  readonly totals: Float64Array;
}

export type Bounds = readonly [low: number, high: number];

/** The groups that hold this share of the values decide the bounds when all others can be selected. */
const mainShare = 0.95;

/** Cells with less than this share of the mean of their group do not count, since their quantiles vary most. */
const smallCell = 0.05;

/**
 * Returns for each quantile bounds between which those of most groups lie; undefined when one of the quantiles has few
 * values, or many between its bounds. Then one statement collects all values for all of them.
 */
export async function boundsOf(
  run: (scan: Scan) => Promise<ScanResult>,
  scan: Scan,
  searched: readonly Searched[],
  { minValues, maxShare }: NarrowTotals,
): Promise<readonly Bounds[] | undefined> {
  if (searched.some(({ counts, sizes }) => sizes.length === 0 || sum(counts) < minValues)) return undefined;
  const bounds = searched.map((one) => boundsOfMain(one, canSelect(scan.keys) ? mainShare : 1));
  const bucket = narrow(scan, largestBucket(searched, scan.buckets.localEdges.length - 1))!;
  const shares = await sharesBetween(run, bucket, searched, bounds);
  return shares.every((share) => share <= maxShare) ? bounds : undefined;
}

const sum = (numbers: Float64Array): number => numbers.reduce((all, one) => all + one, 0);

/** Returns the lowest and the highest quantile of the cells of the largest groups, which hold a share of all values. */
function boundsOfMain({ counts, quantiles, sizes }: Searched, share: number): Bounds {
  const buckets = sizes.length / counts.length;
  const wanted = sum(counts) * share;
  let [low, high, seen] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const group of [...counts.keys()].sort((a, b) => counts[b]! - counts[a]!)) {
    if (seen >= wanted) break;
    seen += counts[group]!;
    const least = (counts[group]! / buckets) * smallCell;
    for (let cell = group * buckets; cell < (group + 1) * buckets; cell++) {
      if (sizes[cell]! === 0 || sizes[cell]! < least) continue;
      low = Math.min(low, quantiles[cell]!);
      high = Math.max(high, quantiles[cell]!);
    }
  }
  return [low, high];
}

/** Returns the bucket with most values of all quantiles. */
function largestBucket(searched: readonly Searched[], buckets: number): number {
  const ofBuckets = new Float64Array(buckets);
  for (const { sizes } of searched) {
    for (const [cell, size] of sizes.entries()) ofBuckets[cell % buckets]! += size;
  }
  return ofBuckets.indexOf(Math.max(...ofBuckets));
}

/** Returns for each quantile the share of its values between its bounds; NaN without values. */
async function sharesBetween(
  run: (scan: Scan) => Promise<ScanResult>,
  scan: Scan,
  searched: readonly Searched[],
  bounds: readonly Bounds[],
): Promise<readonly number[]> {
  const measures = searched.flatMap(({ measure: { events, where, aggregate } }, place): Measure[] => {
    const { of } = aggregate;
    const compare = (operator: ">=" | "<=", value: number): Predicate => {
      return { kind: "compare", operator, left: of, right: { kind: "number", value } };
    };
    const [low, high] = bounds[place]!;
    const between: Predicate = { kind: "and", of: [where, compare(">=", low), compare("<=", high)] };
    return [between, where].map((one) => ({ events, where: one, aggregate: { kind: "values", of } }));
  });
  await using result = await run({ ...scan, keys: [], measures, totals: false });
  const { values } = await result.cells();
  return searched.map((_, place) => values[2 * place]![0]! / values[2 * place + 1]![0]!);
}

/** Reports whether groups can be selected by a condition. */
export function canSelect(keys: readonly GroupKey[]): boolean {
  const [key] = keys;
  if (keys.length !== 1 || key!.kind !== "values" || key!.of.kind !== "property") return false;
  const { type, group } = key!.of.property;
  return type === "text" && group === undefined;
}
