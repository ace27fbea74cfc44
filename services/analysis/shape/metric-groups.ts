import type { PlannedMetric } from "../describe/event-plan.ts";
import type { Computation } from "../describe/operand.ts";
import { evaluate } from "./evaluate.ts";
import type { GroupTable } from "./group-table.ts";
import { emptyValue, type ScanRun } from "./scan-run.ts";

/** Runs by period and scan. */
export type Runs = readonly (readonly ScanRun[])[];

/** One metric, or one value of the split of it, with its groups in the order of the answer. */
export interface RankedMetric {
  readonly metric: PlannedMetric;
  /** Number of the split's value; undefined where the metric is not split. */
  readonly split: number | undefined;
  /** Numbers of groups. */
  readonly groups: readonly number[];
  /** Sum of what the groups are ordered by, of those that have a value. */
  readonly total: number;
}

/** @param textOf a group, by which ties are ordered. @param isGrouped there are keys or a split, so that groups need events */
export function rankGroups(
  metric: PlannedMetric,
  split: number | undefined,
  {
    runs,
    table,
    textOf,
  }: { readonly runs: Runs; readonly table: GroupTable; readonly textOf: (group: number) => string },
  isGrouped: boolean,
): RankedMetric {
  if (!isGrouped) return { metric, split, groups: [0], total: 0 };
  const groups = presentGroups(metric, split, runs, table);
  const totals = runs.map((own) => totalsOf(metric.computation, split, groups, own, table));
  const ranks = new Map(groups.map((group, i) => [group, rankOf(totals.map((numbers) => numbers[i]!))]));
  const ordered = [...groups].sort((a, b) => {
    const [left, right] = [ranks.get(a)!, ranks.get(b)!];
    if (left !== right) return left < right ? 1 : -1;
    return textOf(a) < textOf(b) ? -1 : 1;
  });
  const total = groups.reduce((sum, group) => sum + Math.max(ranks.get(group)!, -Number.MAX_VALUE), 0);
  return { metric, split, groups: ordered, total };
}

/** Both periods together; what has no value in any comes last. */
function rankOf(totals: readonly number[]): number {
  const known = totals.filter((total) => !Number.isNaN(total));
  return known.length === 0 ? Number.NEGATIVE_INFINITY : known.reduce((sum, total) => sum + total, 0);
}

/** Groups in which any of the metric's own operands has an event, in any period. */
function presentGroups(
  { presence }: PlannedMetric,
  split: number | undefined,
  runs: Runs,
  table: GroupTable,
): readonly number[] {
  const present = new Set<number>();
  for (const own of runs) {
    for (const { scan, measure } of presence) {
      const run = own[scan]!;
      const counts = measure === undefined ? undefined : run.totals[measure]!;
      for (const group of table.groupsOf(run, split)) {
        if (counts === undefined || counts[table.place(run, split, group)]! > 0) present.add(group);
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
  return evaluate(computation, groups.length, ({ ref, nullIsZero }) => {
    const run = runs[ref.scan]!;
    const totals = run.totals[ref.measure]!;
    const empty = nullIsZero ? 0 : emptyValue(run.planned.measures[ref.measure]!);
    return Float64Array.from(groups, (group) => {
      const place = table.place(run, split, group);
      const total = place < 0 ? empty : totals[place]!;
      return nullIsZero && Number.isNaN(total) ? 0 : total;
    });
  });
}

/** The values of the split that a metric has events of, in no order. */
export function splitsOf({ presence }: PlannedMetric, runs: Runs, table: GroupTable): readonly number[] {
  const all = [...table.splits.keys()];
  return all.filter((split) =>
    runs.some((own) =>
      presence.some(({ scan, measure }) => {
        const run = own[scan]!;
        const places = [...table.groupsOf(run, split)].map((group) => table.place(run, split, group));
        return places.some((place) => measure === undefined || run.totals[measure]![place]! > 0);
      }),
    ),
  );
}
