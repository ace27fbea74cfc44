import { createYield } from "../../../../base/async/yield.ts";
import type { GroupKey, KeyValue, Measure, Predicate, Scan, ScanResult } from "../../scan.ts";
import { divideBuckets } from "../../sql/buckets.ts";
import type { Relations } from "../../sql/relations.ts";
import { divideGroups, type FoundQuantiles, findQuantiles } from "./found-quantiles.ts";
import {
  type Bounds,
  type Quantile,
  type QuantileScan,
  readMiddleValues,
  sizeOf,
  widest,
} from "./middle-values.ts";
import { boundsOf, countIn } from "./quantile-bounds.ts";
import type { Query } from "./query.ts";
import { sampled } from "./relations.ts";

/** When the values between bounds are collected instead of all. */
export interface QuantileLimits {
  /** The least number of values; with fewer, the sample takes as long as the bounds save. */
  readonly minValues: number;
  /** The largest share of the values between bounds, as estimated. */
  readonly maxShare: number;
  /** The groups times buckets that are kept at most. */
  readonly maxCells: number;
  /** With more quantiles, too many values are between their bounds, and each has too small a part of the sample. */
  readonly maxQuantiles: number;
  /** The values between all bounds that are read at most. */
  readonly maxCollected: number;
  /**
   * The rows of a sample: the least, and the most. Between them it is a hundredth of all. Several quantiles divide the
   * most among them. At most twice the most are read as values.
   */
  readonly sampleRows: readonly [least: number, most: number];
}

export const quantileLimits: QuantileLimits = {
  minValues: 500_000,
  maxShare: 0.5,
  maxCells: 100_000,
  maxQuantiles: 5,
  maxCollected: 1_000_000,
  sampleRows: [300_000, 500_000],
};

/** How a scan is run. */
export interface ScanRunner {
  readonly query: Query;
  readonly relations: Relations;
  readonly signal: AbortSignal;
  run(scan: Scan): Promise<ScanResult>;
}

const isQuantile = (measure: Measure): measure is Quantile => measure.aggregate.kind === "quantile";
const isOfNumbers = ({ aggregate: { of } }: Quantile): boolean =>
  of.kind === "property" && of.property.type === "number" && of.property.group === undefined;

/** Reports whether the quantiles of a scan may be found between bounds. */
export function mayBound(
  { buckets, measures }: Scan,
  relations: Relations,
  { minValues, maxQuantiles }: QuantileLimits,
): boolean {
  const quantiles = measures.filter(isQuantile);
  return (
    buckets.windows === undefined &&
    buckets.localEdges.length > 1 &&
    quantiles.length > 0 &&
    quantiles.length <= maxQuantiles &&
    quantiles.every(isOfNumbers) &&
    relations.rowsAtMost(buckets) >= minValues
  );
}

/**
 * Runs a scan with quantiles. A sample tells bounds between which the quantiles of all groups and buckets lie. One
 * reading then counts the values below the bounds and collects those between them, in which the quantiles of buckets
 * and totals have known places. The engine finds those of groups that have one elsewhere.
 * @throws ListMemoryError, after which the engine may still find all of them
 */
export async function scanQuantiles(
  runner: ScanRunner,
  scan: Scan,
  limits: QuantileLimits,
): Promise<ScanResult> {
  const { query, relations, signal, run } = runner;
  const quantiles: QuantileScan = { ...scan, measures: scan.measures.filter(isQuantile) };
  const ranges = await rangesOf(runner, quantiles, limits);
  if (ranges === undefined) return await run(scan);
  const wanted = { scan: quantiles, relations, ranges, maxValues: limits.maxCollected };
  const middle = await readMiddleValues(query, wanted, signal);
  const groups = await divideGroups(middle, quantiles, limits.maxCells, signal);
  if (groups === undefined) return await run(scan);
  const found = await findQuantiles(groups, quantiles, signal);
  const missing = found.missing.map((group) => found.keys[group]!);
  if (missing.length > 0) {
    await using whole = await run(onlyGroups(quantiles, missing));
    await found.take(whole, signal);
  }
  return await withOthers(runner, scan, found);
}

/** A sample has at most the cells that are kept divided by this, since more have too few values for bounds. */
const sampleCells = 20;

/** Returns bounds for each quantile; undefined when there are few values, or few outside of bounds. */
async function rangesOf(
  { query, relations, signal }: ScanRunner,
  scan: QuantileScan,
  { minValues, maxShare, maxCells, maxCollected, sampleRows: [least, most] }: QuantileLimits,
): Promise<readonly Bounds[] | undefined> {
  const rows = relations.rowsAtMost(scan.buckets);
  const share = Math.min(Math.max(rows / 100, least), most / scan.measures.length, rows) / rows;
  const sample = await readMiddleValues(
    query,
    {
      scan,
      relations: sampled(relations, query, scan.projectId, share),
      ranges: scan.measures.map(() => widest),
      maxValues: 2 * most,
    },
    signal,
  );
  const groups = await divideGroups(sample, scan, maxCells / sampleCells, signal);
  if (groups === undefined) return undefined;
  const yieldToEventLoop = createYield({ signal });
  const ranges: Bounds[] = [];
  let collected = 0;
  for (const [place, { aggregate }] of scan.measures.entries()) {
    const cells = groups.flatMap((one, group) =>
      one.cells.map(({ bucket, quantiles }) => ({ group, bucket, values: quantiles[place]!.values })),
    );
    const size = sizeOf(cells);
    if (size === 0 || size / share < minValues) return undefined;
    const drawn = { cells, share, buckets: divideBuckets(scan.buckets).count };
    const decisive = canSelect(scan.keys) ? mainShare : 1;
    const range = await boundsOf(drawn, aggregate.fraction, decisive, yieldToEventLoop);
    const inside = await countIn(drawn, range, yieldToEventLoop);
    collected += inside / share;
    if (inside > size * maxShare || collected > maxCollected) return undefined;
    ranges.push(range);
  }
  return ranges;
}

/** The groups that hold this share of the values decide the bounds when all others can be selected. */
const mainShare = 0.95;

/** Adds the numbers of the other measures. */
async function withOthers(
  { run, signal }: ScanRunner,
  scan: Scan,
  found: FoundQuantiles,
): Promise<ScanResult> {
  const others = scan.measures.filter((one) => !isQuantile(one));
  if (others.length === 0) return await found.result(scan);
  // Counts of their events give the groups of quantiles without values.
  const counts = scan.measures
    .filter(isQuantile)
    .map((one): Measure => ({ ...one, aggregate: { kind: "count" } }));
  const rest = await run({ ...scan, measures: [...others, ...counts] });
  return await found.result(scan, rest, signal);
}

/** Reports whether groups can be selected by a condition. */
function canSelect(keys: readonly GroupKey[]): boolean {
  const [key] = keys;
  if (keys.length !== 1 || key!.kind !== "values" || key!.of.kind !== "property") return false;
  const { type, group } = key!.of.property;
  return type === "text" && group === undefined;
}

/** Returns the scan of some groups, or the same scan. */
function onlyGroups(scan: Scan, groups: readonly (readonly KeyValue[])[]): Scan {
  const [key] = scan.keys;
  if (key?.kind !== "values" || !canSelect(scan.keys)) return scan;
  const { of } = key;
  const values = groups.flatMap(([value]) => (typeof value === "string" ? [value] : []));
  // Conditions take an empty text for no value, but it is a group of its own.
  if (values.includes("")) return scan;
  const isOne: Predicate = {
    kind: "or",
    of: [
      { kind: "isNull", of },
      { kind: "in", of, values },
    ],
  };
  const measures = scan.measures.map((one) => ({
    ...one,
    where: { kind: "and", of: [one.where, isOne] } as const,
  }));
  return { ...scan, measures };
}
