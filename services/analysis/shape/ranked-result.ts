import { create } from "@bufbuild/protobuf";
import type { YieldToEventLoop } from "../../../base/async/yield.ts";
import {
  type GroupValue,
  type MetricResult,
  MetricResultSchema,
} from "../../../gen/engage/analysis/v1/result_pb.ts";
import type { KeyValue } from "../../../store/events/events.ts";
import type { EventPlan } from "../describe/event-plan.ts";
import { labelOf, writeLabel } from "../text-form.ts";
import { createGroupTable, type GroupTable } from "./group-table.ts";
import { type RankedMetric, type RankSource, type Runs, rankGroups, splitsOf } from "./metric-groups.ts";
import { shapeGroupValue } from "./result-info.ts";

/** The groups of all results, of which the first ones are in order. No numbers but totals are read yet. */
export interface RankedResult {
  readonly plan: EventPlan;
  readonly runs: Runs;
  readonly table: GroupTable;
  readonly results: readonly RankedMetric[];
  readonly colsOf: (group: number) => GroupValue[];
  readonly yieldToEventLoop: YieldToEventLoop;
}

/** @param limit the number of groups of each result that must be in order */
export async function rankResult(
  plan: EventPlan,
  runs: Runs,
  limit: number,
  yieldToEventLoop: YieldToEventLoop,
): Promise<RankedResult> {
  const { keys } = plan;
  const table = await createGroupTable(runs.flat(), keys.length > 0, yieldToEventLoop);
  const compare = (a: number, b: number) => compareLabels(keys, table.groups[a]!, table.groups[b]!);
  const cols: GroupValue[][] = [];
  const colsOf = (group: number) => {
    cols[group] ??= keys.map(({ form }, i) => shapeGroupValue(form, table.groups[group]![i]!));
    return cols[group];
  };
  const source: RankSource = { runs, table, compare, limit, yieldToEventLoop };
  const results: RankedMetric[] = [];
  for (const metric of plan.metrics) {
    if (metric.isSplit) results.push(...(await rankSplits(plan, metric, source)));
    else if (keys.length > 0) results.push(await rankGroups(metric, undefined, source));
    else results.push({ metric, split: undefined, groups: [0], total: 0 });
  }
  return { plan, runs, table, results, colsOf, yieldToEventLoop };
}

/** Compares keys by the first label that differs, as JSON in UTF-16 order. */
function compareLabels(keys: EventPlan["keys"], a: readonly KeyValue[], b: readonly KeyValue[]): number {
  for (const [i, { form }] of keys.entries()) {
    if (a[i] === b[i]) continue;
    const [left, right] = [a, b].map((group) => JSON.stringify(labelOf(form, group[i]!) ?? "$null"));
    if (left !== right) return left! < right! ? -1 : 1;
  }
  return 0;
}

/** Returns one result for each value of the split, in the order of their totals; equal totals are ordered by label. */
async function rankSplits(
  plan: EventPlan,
  metric: RankedMetric["metric"],
  source: RankSource,
): Promise<readonly RankedMetric[]> {
  const { table } = source;
  const results: RankedMetric[] = [];
  for (const split of await splitsOf(metric, source)) results.push(await rankGroups(metric, split, source));
  const texts = new Map(
    results.map(({ split }) => [split, JSON.stringify(splitLabel(plan, table, split!) ?? "$null")]),
  );
  return results.sort((a, b) => {
    if (a.total !== b.total) return a.total < b.total ? 1 : -1;
    return texts.get(a.split)! < texts.get(b.split)! ? -1 : 1;
  });
}

function splitLabel({ split }: EventPlan, table: GroupTable, value: number): string | undefined {
  return labelOf(split!.form, table.splits[value]!);
}

/** Shapes a result without its entries. */
export function shapeHeading(
  { plan, table }: RankedResult,
  { metric, split, groups }: RankedMetric,
): MetricResult {
  const suffix = split === undefined ? "" : `(${writeLabel(splitLabel(plan, table, split))})`;
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
