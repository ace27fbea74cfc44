import { itemsPerYield, type YieldToEventLoop } from "../../../base/async/yield.ts";
import type { PlannedMetric } from "../describe/event-plan.ts";
import type { Computation } from "../describe/metric/operand.ts";
import { evaluate } from "./evaluate.ts";
import type { GroupTable } from "./group-table.ts";
import { orderGroups } from "./order-groups.ts";
import { emptyValue, type ScanRun } from "./scan-run.ts";
import { sortNumbersYielding } from "./sort-yielding.ts";

/** Runs by period and scan. */
export type Runs = readonly (readonly ScanRun[])[];

/** A metric, or one value of its split, with all its groups. The first groups are in the order of the result. */
export interface RankedMetric {
  readonly metric: PlannedMetric;
  /** The number of the split's value; undefined if the metric is not split. */
  readonly split: number | undefined;
  /** The numbers of the groups. */
  readonly groups: readonly number[];
  /** The sum of the values by which the groups of a split's value are ordered; 0 if the metric is not split. */
  readonly total: number;
}

export interface RankSource {
  readonly runs: Runs;
  readonly table: GroupTable;
  /** Compares groups of equal rank. */
  readonly compare: (a: number, b: number) => number;
  /** The number of groups that must be in order. */
  readonly limit: number;
  readonly yieldToEventLoop: YieldToEventLoop;
}

export async function rankGroups(
  metric: PlannedMetric,
  split: number | undefined,
  source: RankSource,
): Promise<RankedMetric> {
  const { runs, table, yieldToEventLoop } = source;
  const groups = await presentGroups(metric, split, source);
  const ranks = new Float64Array(groups.length);
  for (let from = 0; from < groups.length; from += itemsPerYield) {
    const some = groups.slice(from, from + itemsPerYield);
    const totals = runs.map((own) => totalsOf(metric.computation, split, some, own, table));
    ranks.set(sumPeriods(some.length, totals), from);
    await yieldToEventLoop();
  }
  const total = split === undefined ? 0 : await sumInOrder(ranks, yieldToEventLoop);
  return { metric, split, groups: await orderGroups(groups, ranks, source), total };
}

/** Sums in a fixed order. Groups come in any order, on which their sum must not depend. */
async function sumInOrder(ranks: Float64Array, yieldToEventLoop: YieldToEventLoop): Promise<number> {
  const sorted = ranks.slice();
  await sortNumbersYielding(sorted, yieldToEventLoop);
  return sorted.reduce((sum, rank) => (Number.isNaN(rank) ? sum : sum + rank), 0);
}

/** Sums the totals of both periods; NaN if neither has a value. */
function sumPeriods(length: number, totals: readonly Float64Array[]): Float64Array {
  const sums = new Float64Array(length).fill(Number.NaN);
  for (const numbers of totals) {
    for (let i = 0; i < length; i++) {
      const number = numbers[i]!;
      if (!Number.isNaN(number)) sums[i] = Number.isNaN(sums[i]) ? number : sums[i]! + number;
    }
  }
  return sums;
}

/** Returns the groups in which an operand of the metric itself has an event, in any period. */
async function presentGroups(
  { presence }: PlannedMetric,
  split: number | undefined,
  { runs, table, yieldToEventLoop }: RankSource,
): Promise<readonly number[]> {
  const present = new Set<number>();
  let seen = 0;
  for (const own of runs) {
    for (const { scan, measure } of presence) {
      const run = own[scan]!;
      const counts = measure === undefined ? undefined : run.totals[measure]!;
      for (const group of table.groupsOf(run, split)) {
        if (counts === undefined || counts[table.place(run, split, group)]! > 0) present.add(group);
        if (++seen % itemsPerYield === 0) await yieldToEventLoop();
      }
    }
  }
  return [...present];
}

function totalsOf(
  computation: Computation,
  split: number | undefined,
  groups: readonly number[],
  runs: readonly ScanRun[],
  table: GroupTable,
): Float64Array {
  return evaluate(computation, groups.length, ({ ref }) => {
    const run = runs[ref.scan]!;
    const totals = run.totals[ref.measure]!;
    const found = new Float64Array(groups.length).fill(emptyValue(run.planned.measures[ref.measure]!));
    for (let i = 0; i < groups.length; i++) {
      const place = table.place(run, split, groups[i]!);
      if (place >= 0) found[i] = totals[place]!;
    }
    return found;
  });
}

/** Returns the values of the split for which a metric has events, in no particular order. */
export async function splitsOf(
  { presence }: PlannedMetric,
  { runs, table, yieldToEventLoop }: RankSource,
): Promise<readonly number[]> {
  const hasEvents = (split: number, run: ScanRun, measure: number | undefined): boolean => {
    for (const group of table.groupsOf(run, split)) {
      if (measure === undefined || run.totals[measure]![table.place(run, split, group)]! > 0) return true;
    }
    return false;
  };
  const isPresent = (split: number): boolean =>
    runs.some((own) => presence.some(({ scan, measure }) => hasEvents(split, own[scan]!, measure)));
  const splits: number[] = [];
  for (const split of table.splits.keys()) {
    if (isPresent(split)) splits.push(split);
    await yieldToEventLoop();
  }
  return splits;
}
