import { aggregate } from "./aggregate.ts";
import { groupsOf, type Key, type Label } from "./groups.ts";
import type { ReferenceData, ReferenceEvent } from "./ingest.ts";
import type { Metric, Operand } from "./metrics.ts";
import { type Period, type Prepared, prepare } from "./prepare.ts";
import { applyWindow } from "./windows.ts";
import { toLocal } from "./zone.ts";

export interface ReferenceAnswer {
  readonly unit: Prepared["unit"];
  /** Labels as the answer has them. */
  readonly x: readonly string[];
  /** Local first moments of the buckets, ms. */
  readonly xStarts: readonly number[];
  readonly xCompared: readonly string[];
  readonly xComparedStarts: readonly number[];
  readonly results: readonly ReferenceResult[];
  readonly unionGroups: readonly (readonly Label[])[];
  readonly unionGroupNum: number;
}

export interface ReferenceResult {
  /** The index of the metric. */
  readonly index: number;
  /** Undefined where the metric is not split. */
  readonly split: Label | undefined;
  /** Before the cut. */
  readonly groupNum: number;
  readonly groups: readonly ReferenceGroup[];
  /** With those that are cut off. */
  readonly allGroups: readonly ReferenceGroup[];
}

export interface ReferenceGroup {
  readonly cols: readonly Label[];
  /** The total of all buckets and periods, by which groups are ordered; -Infinity without a value. */
  readonly total: number;
  readonly values: readonly (number | null)[];
  readonly compared: readonly (number | null)[] | undefined;
}

/** Returns the required result of an event analysis. @throws Refused */
export function analyze(data: ReferenceData, nowMs: number, body: unknown): ReferenceAnswer {
  const prepared = prepare(data, nowMs, body);
  const results = prepared.metrics.flatMap((metric, index) => analyzeMetric(data, prepared, metric, index));
  const [now, compared] = prepared.periods;
  return {
    unit: prepared.unit,
    x: now!.buckets.map(({ label }) => label),
    xStarts: now!.buckets.map(({ startMs }) => startMs),
    xCompared: compared?.buckets.map(({ label }) => label) ?? [],
    xComparedStarts: compared?.buckets.map(({ startMs }) => startMs) ?? [],
    results,
    unionGroups: prepared.keys.length === 0 ? [[]] : unionOf(results.map(({ groups }) => groups)),
    unionGroupNum: prepared.keys.length === 0 ? 1 : unionOf(results.map(({ allGroups }) => allGroups)).length,
  };
}

export function unionOf(
  results: readonly (readonly { readonly cols: readonly Label[] }[])[],
): readonly (readonly Label[])[] {
  const all = results.flat().map(({ cols }) => cols);
  return [...new Map(all.map((cols) => [keyOf(cols), cols])).values()];
}

/** Null is written so that it sorts by its own name. */
export function keyOf(cols: readonly Label[]): string {
  return JSON.stringify(cols.map((label) => label ?? "$null"));
}

/** Decides whether an operand counts an event, for one bucket or for a whole period. */
export interface Reach {
  readonly buckets: readonly ((instantMs: number, localMs: number) => boolean)[];
  readonly whole: (instantMs: number, localMs: number) => boolean;
}

export function reachOf(operand: Operand, period: Period): Reach {
  const within =
    (startMs: number, endMs: number) =>
    (_instant: number, local: number): boolean =>
      local >= startMs && local < endMs;
  if (operand.window) {
    const windows = period.buckets.map((bucket) => applyWindow(operand.window!, bucket, period.range));
    const buckets = windows.map(({ startMs, endMs }) => within(startMs, endMs));
    return { buckets, whole: (instant, local) => buckets.some((reaches) => reaches(instant, local)) };
  }
  const whole = (instant: number) => instant >= period.startMs && instant < period.endMs;
  const buckets = period.buckets.map(({ startMs, endMs }) => {
    const inside = within(startMs, endMs);
    return (instant: number, local: number) =>
      whole(instant) && (period.buckets.length === 1 || inside(instant, local));
  });
  return { buckets, whole };
}

interface Cells {
  readonly split: Label | undefined;
  readonly cols: readonly Label[];
  /** Events by period and operand. */
  readonly whole: ReferenceEvent[][][];
  /** Events by period, operand and bucket. */
  readonly buckets: ReferenceEvent[][][][];
}

function analyzeMetric(
  data: ReferenceData,
  prepared: Prepared,
  metric: Metric,
  index: number,
): ReferenceResult[] {
  const split = metric.split ? prepared.split : undefined;
  const cells = collect(data, prepared, metric, split);
  if (cells.length === 0 && !split)
    return [{ index, split: undefined, groupNum: 0, groups: [], allGroups: [] }];
  const bySplit = Map.groupBy(cells, (cell) => JSON.stringify(cell.split));
  return [...bySplit.values()].map((found) => {
    const allGroups = sortGroups(found.map((cell) => groupOf(cell, metric, prepared.periods)));
    const groups = allGroups.slice(0, prepared.limit);
    return { index, split: found[0]!.split, groupNum: allGroups.length, groups, allGroups };
  });
}

function collect(
  data: ReferenceData,
  { zone, periods, keys, filter }: Prepared,
  metric: Metric,
  split: Key | undefined,
): Cells[] {
  const found = new Map<string, Cells>();
  const cellsOf = (own: Label | undefined, cols: readonly Label[]): Cells => {
    const key = `${JSON.stringify(own)} ${JSON.stringify(cols)}`;
    const cells = found.get(key) ?? {
      split: own,
      cols,
      whole: periods.map(() => metric.operands.map(() => [])),
      buckets: periods.map(({ buckets }) => metric.operands.map(() => buckets.map(() => []))),
    };
    found.set(key, cells);
    return cells;
  };
  if (keys.length === 0 && !split) cellsOf(undefined, []);
  const all = split ? [split, ...keys] : keys;
  for (const [at, period] of periods.entries()) {
    for (const [number, operand] of metric.operands.entries()) {
      const reach = reachOf(operand, period);
      for (const event of data.events) {
        const local = toLocal(zone, event.time);
        if (!reach.whole(event.time, local) || !filter(event) || !operand.holds(event)) continue;
        for (const labels of groupsOf(all, event)) {
          const cells = cellsOf(split ? labels[0]! : undefined, split ? labels.slice(1) : labels);
          cells.whole[at]![number]!.push(event);
          for (const [bucket, reaches] of reach.buckets.entries()) {
            if (reaches(event.time, local)) cells.buckets[at]![number]![bucket]!.push(event);
          }
        }
      }
    }
  }
  return [...found.values()];
}

function groupOf(cells: Cells, metric: Metric, periods: readonly Period[]): ReferenceGroup {
  const sumUp = (operands: readonly ReferenceEvent[][]): number | null =>
    metric.value(metric.operands.map((operand, at) => aggregate(operand.aggregated, operands[at]!)));
  const values = cells.buckets.map((operands, period) =>
    periods[period]!.buckets.map((_, bucket) => sumUp(operands.map((buckets) => buckets[bucket]!))),
  );
  const known = cells.whole.map(sumUp).filter((total) => total !== null);
  const total = known.length === 0 ? -Infinity : known.reduce((a, b) => a + b, 0);
  return { cols: cells.cols, total, values: values[0]!, compared: values[1] };
}

/** The largest first, those without a value last. */
function sortGroups(groups: readonly ReferenceGroup[]): ReferenceGroup[] {
  return [...groups].sort((a, b) => {
    if (a.total !== b.total) return a.total < b.total ? 1 : -1;
    return keyOf(a.cols) < keyOf(b.cols) ? -1 : 1;
  });
}
