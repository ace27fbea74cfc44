import { createYield } from "../../../../base/async/yield.ts";
import type { Buckets, GroupKey, KeyValue, Measure, Predicate, Scan, ScanResult } from "../../scan.ts";
import { narrow } from "../../sql/buckets.ts";
import type { Relations } from "../../sql/relations.ts";
import type { Query } from "./query.ts";
import { valuesBetween } from "./values-between.ts";

/** When values between bounds are collected instead of all. */
export interface NarrowTotals {
  /** The least number of values; with fewer, further statements take as long as they save. */
  readonly minValues: number;
  /** The largest share of the values between the bounds, as estimated. */
  readonly maxShare: number;
}

export const narrowTotals: NarrowTotals = { minValues: 500_000, maxShare: 0.15 };

/** How a scan is run. */
export interface ScanRunner {
  readonly query: Query;
  readonly relations: Relations;
  readonly signal: AbortSignal;
  run(scan: Scan, form?: { readonly omitsQuantileTotals: boolean }): Promise<ScanResult>;
}

/** With more cells, all values are collected: reading the cells takes the time that their bounds save. */
const maxCells = 100_000;

type Quantile = Measure & { readonly aggregate: { readonly kind: "quantile" } };

const isQuantile = (measure: Measure): measure is Quantile => measure.aggregate.kind === "quantile";
const isOfNumbers = ({ aggregate: { of } }: Quantile): boolean =>
  of.kind === "property" && of.property.type === "number" && of.property.group === undefined;

/** Reports whether the totals of the quantiles of a scan may be found between those of its buckets. */
export function mayNarrowTotals(
  { totals, buckets, measures }: Scan,
  relations: Relations,
  { minValues }: NarrowTotals,
): boolean {
  const quantiles = measures.filter(isQuantile);
  return (
    totals &&
    buckets.windows === undefined &&
    buckets.localEdges.length > 2 &&
    quantiles.length > 0 &&
    quantiles.every(isOfNumbers) &&
    relations.rowsAtMost(buckets) >= minValues
  );
}

/**
 * Runs a scan whose totals are quantiles. The quantile of all values of a group lies between those of its buckets, so
 * that most values are only counted: of 3 million values in 30 days, the total takes half as long as that of all.
 * Where the bounds do not contain it, all values of the group are collected.
 */
export async function scanNarrowTotals(
  runner: ScanRunner,
  scan: Scan,
  limits: NarrowTotals,
): Promise<ScanResult> {
  const own = scan.measures.length;
  const counts = scan.measures.filter(isQuantile).map((measure): Measure => {
    return { ...measure, aggregate: { kind: "values", of: measure.aggregate.of } };
  });
  const counted = await runner.run(
    { ...scan, measures: [...scan.measures, ...counts] },
    { omitsQuantileTotals: true },
  );
  const { keys, totals } = counted.groups;
  const hasMany = keys.length * (scan.buckets.localEdges.length - 1) > maxCells;
  // Without cells there are no bounds.
  const { values } = await counted.cells(hasMany ? [] : undefined);
  let next = own;
  const found: Float64Array[] = [];
  for (const [place, measure] of scan.measures.entries()) {
    if (!isQuantile(measure)) {
      found.push(totals[place]!);
      continue;
    }
    const cells = { keys, counts: totals[next]!, quantiles: values[place]!, sizes: values[next]! };
    found.push(await totalsOf(runner, { ...scan, measures: [measure] }, cells, limits));
    next++;
  }
  return {
    groups: { keys, totals: found },
    cells: async (groups) => ({ values: (await counted.cells(groups)).values.slice(0, own) }),
    [Symbol.asyncDispose]: () => counted[Symbol.asyncDispose](),
  };
}

/** What is known of a quantile by group and bucket. Lists of cells have the buckets of a group one after the other. */
interface Cells {
  readonly keys: readonly (readonly KeyValue[])[];
  /** The number of values of each group. */
  readonly counts: Float64Array;
  /** The quantile of each cell; NaN without values. */
  readonly quantiles: Float64Array;
  /** The number of values of each cell. */
  readonly sizes: Float64Array;
}

/** @param scan a scan with one measure, a quantile */
async function totalsOf(
  runner: ScanRunner,
  scan: Scan,
  cells: Cells,
  limits: NarrowTotals,
): Promise<Float64Array> {
  const totals = new Float64Array(cells.counts.length).fill(Number.NaN);
  const yieldToEventLoop = createYield({ signal: runner.signal });
  const groupOf = new Map<string, number>();
  for (const [group, keys] of cells.keys.entries()) {
    groupOf.set(idOf(keys), group);
    await yieldToEventLoop();
  }
  const missing = new Set([...totals.keys()].filter((group) => cells.counts[group]! > 0));
  const bounds = await boundsOf(runner, scan, cells, limits);
  if (bounds !== undefined) {
    const { fraction } = (scan.measures[0] as Quantile).aggregate;
    // The side with fewer values is read.
    const side = fraction > 0.5 ? "above" : "below";
    const wanted = {
      scan,
      relations: runner.relations,
      range: bounds,
      side,
      groups: cells.keys.length,
    } as const;
    for await (const { keys, outside, length, at } of valuesBetween(runner.query, wanted, runner.signal)) {
      const group = groupOf.get(idOf(keys))!;
      const count = cells.counts[group]!;
      const below = side === "below" ? outside : count - outside - length;
      const rank = fraction * (count - 1);
      const [low, high] = [Math.floor(rank) - below, Math.ceil(rank) - below];
      if (low < 0 || high >= length) continue;
      totals[group] = interpolate(at(low), rank - Math.floor(rank), at(high));
      missing.delete(group);
    }
  }
  if (missing.size === 0) return totals;
  const others = [...missing].map((group) => cells.keys[group]!);
  const rest = bounds === undefined ? scan : onlyGroups(scan, others);
  await using whole = await runner.run({ ...rest, buckets: asOne(scan.buckets) });
  for (const [row, keys] of whole.groups.keys.entries()) {
    totals[groupOf.get(idOf(keys))!] = whole.groups.totals[0]![row]!;
    await yieldToEventLoop();
  }
  return totals;
}

/** Interpolates as the engine does. */
const interpolate = (low: number, share: number, high: number): number =>
  share === 0 ? low : low * (1 - share) + high * share;

/** Returns a text which is equal for equal keys of one scan. JSON has no text for some numbers. */
const idOf = (keys: readonly KeyValue[]): string =>
  JSON.stringify(keys.map((key) => (typeof key === "number" ? String(key) : key)));

const asOne = ({ startMs, endMs, localEdges }: Buckets): Buckets => ({
  startMs,
  endMs,
  localEdges: [localEdges[0]!, localEdges.at(-1)!],
});

/** The groups that hold this share of the values decide the bounds when all others can be selected. */
const mainShare = 0.95;

/** Cells with less than this share of the mean of their group do not count, since their quantiles vary most. */
const smallCell = 0.05;

/** Returns bounds between which the quantiles of most groups lie; undefined when many values lie there too. */
async function boundsOf(
  { run }: ScanRunner,
  scan: Scan,
  cells: Cells,
  { minValues, maxShare }: NarrowTotals,
): Promise<readonly [low: number, high: number] | undefined> {
  const { counts, quantiles, sizes } = cells;
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all < minValues || all === 0 || sizes.length === 0) return undefined;
  const buckets = sizes.length / counts.length;
  const wanted = canSelect(scan.keys) ? all * mainShare : all;
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
  const bucket = largestBucket(sizes, buckets);
  return (await shareBetween(run, narrow(scan, bucket)!, [low, high])) <= maxShare ? [low, high] : undefined;
}

/** Returns the bucket with most values. */
function largestBucket(sizes: Float64Array, buckets: number): number {
  const ofBuckets = new Float64Array(buckets);
  for (const [cell, size] of sizes.entries()) ofBuckets[cell % buckets]! += size;
  return ofBuckets.indexOf(Math.max(...ofBuckets));
}

/** Returns the share of values between two bounds. */
async function shareBetween(
  run: ScanRunner["run"],
  scan: Scan,
  [low, high]: readonly [number, number],
): Promise<number> {
  const { events, where, aggregate } = scan.measures[0] as Quantile;
  const { of } = aggregate;
  const compare = (operator: ">=" | "<=", value: number): Predicate => {
    return { kind: "compare", operator, left: of, right: { kind: "number", value } };
  };
  const between: Predicate = { kind: "and", of: [where, compare(">=", low), compare("<=", high)] };
  const measures = [between, where].map((one): Measure => {
    return { events, where: one, aggregate: { kind: "values", of } };
  });
  await using result = await run({ ...scan, keys: [], measures, totals: false });
  const [found, all] = (await result.cells()).values;
  return found![0]! / all![0]!;
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
