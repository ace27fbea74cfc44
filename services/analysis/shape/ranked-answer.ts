import { create } from "@bufbuild/protobuf";
import {
  type GroupEntry,
  GroupEntrySchema,
  type GroupValue,
  type MetricResult,
  MetricResultSchema,
  type Series,
  SeriesSchema,
} from "../../../gen/engage/analysis/v1/result_pb.ts";
import type { EventPlan } from "../describe/event-plan.ts";
import { labelOf, nullLabel } from "../text-form.ts";
import { shapeGroupValue } from "./answer-info.ts";
import { evaluate } from "./evaluate.ts";
import { createGroupTable, type GroupTable } from "./group-table.ts";
import { type RankedMetric, type Runs, rankGroups, splitsOf } from "./metric-groups.ts";
import { type CellReader, createCellReader, emptyValue, type ScanRun } from "./scan-run.ts";

/** All groups of all results in their order, before any numbers but totals were read. */
export interface RankedAnswer {
  readonly plan: EventPlan;
  readonly runs: Runs;
  readonly table: GroupTable;
  readonly results: readonly RankedMetric[];
  readonly colsOf: (group: number) => GroupValue[];
}

export function rankAnswer(plan: EventPlan, runs: Runs): RankedAnswer {
  const table = createGroupTable(runs.flat(), plan.keys.length > 0);
  const texts: string[] = [];
  const labelsOf = (group: number) =>
    plan.keys.map(({ form }, i) => labelOf(form, table.groups[group]![i]!) ?? "$null");
  const textOf = (group: number) => {
    texts[group] ??= JSON.stringify(labelsOf(group));
    return texts[group];
  };
  const cols: GroupValue[][] = [];
  const colsOf = (group: number) => {
    cols[group] ??= plan.keys.map(({ form }, i) => shapeGroupValue(form, table.groups[group]![i]!));
    return cols[group];
  };
  const surroundings = { runs, table, textOf };
  const results = plan.metrics.flatMap((metric): RankedMetric[] => {
    if (!metric.isSplit) return [rankGroups(metric, undefined, surroundings, plan.keys.length > 0)];
    const split = splitsOf(metric, runs, table).map((value) => rankGroups(metric, value, surroundings, true));
    const textOfSplit = (value: number) => JSON.stringify(splitLabel(plan, table, value) ?? "$null");
    return split.sort((a, b) => {
      if (a.total !== b.total) return a.total < b.total ? 1 : -1;
      return textOfSplit(a.split!) < textOfSplit(b.split!) ? -1 : 1;
    });
  });
  return { plan, runs, table, results, colsOf };
}

function splitLabel({ split }: EventPlan, table: GroupTable, value: number): string | undefined {
  return labelOf(split!.form, table.splits[value]!);
}

/** A result without its entries. */
export function shapeHeading(
  { plan, table }: RankedAnswer,
  { metric, split, groups }: RankedMetric,
): MetricResult {
  const suffix = split === undefined ? "" : `(${splitLabel(plan, table, split) ?? nullLabel})`;
  return create(MetricResultSchema, {
    resultKey: `${metric.resultKey}${suffix}`,
    eventIndex: metric.index,
    eventUuid: metric.uuid,
    displayName: `${metric.displayName}${suffix}`,
    ...(split === undefined ? {} : { splitValue: shapeGroupValue(plan.split!.form, table.splits[split]!) }),
    format: metric.format,
    groupNum: groups.length,
  });
}

/** Numbers per entry of a result, over all periods. */
export function numbersPerEntry({ plan }: RankedAnswer): number {
  return plan.periods.reduce((sum, { buckets }) => sum + buckets.length, 0);
}

/** Reads entries of results. @param results those that will be asked for, of their groups */
export function createEntryReader(
  answer: RankedAnswer,
  results: readonly RankedMetric[],
): (result: RankedMetric, groups: readonly number[]) => Promise<GroupEntry[]> {
  const { table, runs, colsOf } = answer;
  const readers = new Map<ScanRun, CellReader>();
  for (const run of runs.flat()) readers.set(run, createCellReader(run, placesWanted(run, results, table)));
  const seriesOf = async (
    own: readonly ScanRun[],
    { metric, split }: RankedMetric,
    groups: readonly number[],
  ) => {
    const read = new Map<ScanRun, Awaited<ReturnType<CellReader["read"]>>>();
    for (const run of own.filter((run) => run.planned.isSplit === metric.isSplit)) {
      const places = groups.map((group) => table.place(run, split, group)).filter((place) => place >= 0);
      read.set(run, await readers.get(run)!.read(places));
    }
    const buckets = answer.plan.periods[runs.indexOf(own)]!.buckets.length;
    const numbers = evaluate(metric.computation, groups.length * buckets, ({ ref, nullIsZero }) => {
      const run = own[ref.scan]!;
      const empty = nullIsZero ? 0 : emptyValue(run.planned.measures[ref.measure]!);
      const found = new Float64Array(groups.length * buckets).fill(empty);
      const { cells, rowOf } = read.get(run)!;
      const values = cells.values[ref.measure]!;
      for (const [i, group] of groups.entries()) {
        const place = table.place(run, split, group);
        if (place < 0) continue;
        const row = rowOf(place);
        found.set(values.subarray(row * buckets, (row + 1) * buckets), i * buckets);
      }
      return nullIsZero ? found.map((number) => (Number.isNaN(number) ? 0 : number)) : found;
    });
    return groups.map((_, i) => shapeSeries(numbers.subarray(i * buckets, (i + 1) * buckets)));
  };
  return async (result, groups) => {
    const [values, compared] = [
      await seriesOf(runs[0]!, result, groups),
      runs[1] && (await seriesOf(runs[1], result, groups)),
    ];
    return groups.map((group, i) =>
      create(GroupEntrySchema, {
        groupCols: colsOf(group),
        values: values[i]!,
        ...(compared === undefined ? {} : { valuesCompared: compared[i]! }),
      }),
    );
  };
}

function placesWanted(
  run: ScanRun,
  results: readonly RankedMetric[],
  table: GroupTable,
): ReadonlySet<number> {
  const wanted = new Set<number>();
  for (const { metric, split, groups } of results) {
    if (metric.isSplit !== run.planned.isSplit) continue;
    for (const group of groups) wanted.add(table.place(run, split, group));
  }
  wanted.delete(-1);
  return wanted;
}

function shapeSeries(numbers: Float64Array): Series {
  const missing: number[] = [];
  for (const [i, number] of numbers.entries()) if (Number.isNaN(number)) missing.push(i);
  return create(SeriesSchema, { numbers: Array.from(numbers), missing });
}
