import { createYield } from "../../../../base/async/yield.ts";
import type { Buckets, KeyValue, Measure, Predicate, Scan, ScanResult } from "../../scan.ts";
import type { Relations } from "../../sql/relations.ts";
import type { Query } from "./query.ts";
import {
  type Bounds,
  boundsOf,
  canSelect,
  type NarrowTotals,
  type Quantile,
  type Searched,
} from "./total-bounds.ts";
import { valuesBetween } from "./values-between.ts";

/** How a scan is run. */
export interface ScanRunner {
  readonly query: Query;
  readonly relations: Relations;
  readonly signal: AbortSignal;
  run(scan: Scan, form?: { readonly omitsQuantileTotals: boolean }): Promise<ScanResult>;
}

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
 * Where the bounds do not contain it, all values of the group are collected, for all quantiles in one statement.
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
  const hasMany = keys.length * (scan.buckets.localEdges.length - 1) > limits.maxCells;
  // Without cells there are no bounds.
  const { values } = await counted.cells(hasMany ? [] : undefined);
  const found = totals.slice(0, own);
  const searched: Searched[] = [];
  for (const [place, measure] of scan.measures.entries()) {
    if (!isQuantile(measure)) continue;
    const next = own + searched.length;
    const none = new Float64Array(keys.length).fill(Number.NaN);
    found[place] = none;
    const cells = { counts: totals[next]!, quantiles: values[place]!, sizes: values[next]! };
    searched.push({ measure, totals: none, ...cells });
  }
  const groupOf = await numberGroups(keys, runner.signal);
  await findTotals({ runner, scan, limits, keys, groupOf }, searched);
  return {
    groups: { keys, totals: found },
    cells: async (groups) => ({ values: (await counted.cells(groups)).values.slice(0, own) }),
    [Symbol.asyncDispose]: () => counted[Symbol.asyncDispose](),
  };
}

interface Search {
  readonly runner: ScanRunner;
  readonly scan: Scan;
  readonly limits: NarrowTotals;
  readonly keys: readonly (readonly KeyValue[])[];
  /** The number of each group by its id. */
  readonly groupOf: ReadonlyMap<string, number>;
}

/** Writes the totals of all quantiles. */
async function findTotals(search: Search, quantiles: readonly Searched[]): Promise<void> {
  const searched = quantiles.filter(({ counts }) => counts.some((count) => count > 0));
  if (searched.length === 0) return;
  const { runner, scan, limits, keys } = search;
  const bounds = await boundsOf(runner.run, scan, searched, limits);
  if (bounds === undefined) return await collectAll(search, searched);
  const missing = new Set<number>();
  for (const [place, one] of searched.entries()) {
    for (const group of await findBetween(search, one, bounds[place]!)) missing.add(group);
  }
  if (missing.size === 0) return;
  const others = [...missing].map((group) => keys[group]!);
  await collectAll(search, searched, others);
}

/** Writes the totals that are between bounds. Returns the other groups with values. */
async function findBetween(
  { runner: { query, relations, signal }, scan, limits, keys, groupOf }: Search,
  { measure, counts, totals }: Searched,
  range: Bounds,
): Promise<ReadonlySet<number>> {
  const { fraction } = measure.aggregate;
  const missing = new Set([...counts.keys()].filter((group) => counts[group]! > 0));
  // The side with fewer values is read.
  const side = fraction > 0.5 ? "above" : "below";
  const maxLength = Math.floor(limits.maxCollected / keys.length);
  const wanted = { scan: { ...scan, measures: [measure] }, relations, range, side, maxLength } as const;
  for await (const { keys: own, outside, length, at } of valuesBetween(query, wanted, signal)) {
    const group = groupOf.get(idOf(own))!;
    const count = counts[group]!;
    const below = side === "below" ? outside : count - outside - length;
    const rank = fraction * (count - 1);
    const [low, high] = [Math.floor(rank) - below, Math.ceil(rank) - below];
    if (low < 0 || high >= length) continue;
    totals[group] = interpolate(at(low), rank - Math.floor(rank), at(high));
    missing.delete(group);
  }
  return missing;
}

/** Writes the totals of all or some groups from all their values, which one statement collects. */
async function collectAll(
  { runner, scan, groupOf }: Search,
  searched: readonly Searched[],
  groups?: readonly (readonly KeyValue[])[],
): Promise<void> {
  const all = { ...scan, measures: searched.map(({ measure }) => measure), buckets: asOne(scan.buckets) };
  await using whole = await runner.run(groups === undefined ? all : onlyGroups(all, groups));
  const yieldToEventLoop = createYield({ signal: runner.signal });
  for (const [row, keys] of whole.groups.keys.entries()) {
    const group = groupOf.get(idOf(keys))!;
    for (const [place, { totals }] of searched.entries()) totals[group] = whole.groups.totals[place]![row]!;
    await yieldToEventLoop();
  }
}

/** Returns the number of each group by its id. */
async function numberGroups(
  groups: readonly (readonly KeyValue[])[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const yieldToEventLoop = createYield({ signal });
  const groupOf = new Map<string, number>();
  for (const [group, keys] of groups.entries()) {
    groupOf.set(idOf(keys), group);
    await yieldToEventLoop();
  }
  return groupOf;
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
