import type {
  EventAnalysis,
  GroupValue,
  MetricResult,
  Series,
} from "../../../gen/engage/analysis/v1/result_pb.ts";

/** A cell: a label, a number, or null for no value. */
export type Cell = string | number | null;

export interface ResultTable {
  readonly columns: readonly string[];
  /** One row for each group and bucket: the groups in their order, then the buckets. */
  readonly rows: readonly (readonly Cell[])[];
}

/** Returns a result as a table with one row for each group and bucket, and one column for each metric. */
export function tableOf(result: EventAnalysis, groupNames: readonly string[]): ResultTable {
  const isCompared = result.xCompared.length > 0;
  const metrics = result.y.map(
    (metric) => new Map(metric.entries.map((entry) => [keyOf(entry.groupCols), entry])),
  );
  const names = uniqueNames(result.y);
  const buckets = Math.max(result.x.length, result.xCompared.length);
  const rows: Cell[][] = [];
  for (const { groupCols } of result.unionGroups) {
    const entries = metrics.map((entriesOf) => entriesOf.get(keyOf(groupCols)));
    for (let i = 0; i < buckets; i++) {
      rows.push([
        result.x[i]?.label ?? null,
        ...(isCompared ? [result.xCompared[i]?.label ?? null] : []),
        ...groupCols.map(labelOf),
        ...entries.flatMap((entry) => [
          numberAt(entry?.values, i),
          ...(isCompared ? [numberAt(entry?.valuesCompared, i)] : []),
        ]),
      ]);
    }
  }
  const columns = [
    "time",
    ...(isCompared ? ["time compared"] : []),
    ...groupNames,
    ...names.flatMap((name) => [name, ...(isCompared ? [`${name} compared`] : [])]),
  ];
  return { columns, rows };
}

function uniqueNames(metrics: readonly MetricResult[]): readonly string[] {
  const seen = new Map<string, number>();
  return metrics.map(({ resultKey }) => {
    const times = (seen.get(resultKey) ?? 0) + 1;
    seen.set(resultKey, times);
    return times === 1 ? resultKey : `${resultKey} (${times})`;
  });
}

function keyOf(group: readonly GroupValue[]): string {
  return JSON.stringify(group.map(labelOf));
}

function labelOf({ value }: GroupValue): string | null {
  return value.case === "label" ? value.value : null;
}

function numberAt(series: Series | undefined, i: number): number | null {
  const number = series?.numbers[i];
  return number === undefined || !Number.isFinite(number) ? null : number;
}
