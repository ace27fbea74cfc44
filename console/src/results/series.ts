import { ValueFormat } from "../../../gen/engage/analysis/v1/event_metric_pb.ts";
import type {
  EventAnalysis,
  GroupEntry,
  GroupValue,
  MetricResult,
  Series,
} from "../../../gen/engage/analysis/v1/result_pb.ts";

/** One row of a result: a metric of a group in one of the two ranges. */
export interface ResultRow {
  readonly key: string;
  readonly metric: string;
  /** The labels of the group; undefined is the group of what has no value. */
  readonly group: readonly (string | undefined)[];
  /** The value of the split, where the metric has one. */
  readonly split: GroupValue | undefined;
  readonly isCompared: boolean;
  /** One value for each bucket of its range; undefined is no value. */
  readonly values: readonly (number | undefined)[];
  readonly format: ValueFormat;
  readonly eventIndex: number;
  readonly groupCols: readonly GroupValue[];
}

export interface ResultTable {
  /** Names of the columns of groups. */
  readonly groupNames: readonly string[];
  /** Labels of the buckets. */
  readonly labels: readonly string[];
  /** Labels of the buckets of the comparison; empty without one. */
  readonly comparedLabels: readonly string[];
  /** Each row is followed by that of the comparison. */
  readonly rows: readonly ResultRow[];
}

/** @param groupNames names of the columns of the query's groups */
export function tableOf(result: EventAnalysis, groupNames: readonly string[]): ResultTable {
  return {
    groupNames,
    labels: result.x.map(({ label }) => label),
    comparedLabels: result.xCompared.map(({ label }) => label),
    rows: result.y.flatMap((metric, i) =>
      metric.entries.flatMap((entry, j) => rowsOf(metric, entry, `${i}.${j}`)),
    ),
  };
}

function rowsOf(metric: MetricResult, entry: GroupEntry, key: string): readonly ResultRow[] {
  const { format, eventIndex, splitValue } = metric;
  const shared = {
    metric: metric.displayName || metric.resultKey,
    group: entry.groupCols.map(labelOf),
    split: splitValue,
    format,
    eventIndex,
    groupCols: entry.groupCols,
  };
  const own: ResultRow = { ...shared, key, isCompared: false, values: valuesOf(entry.values) };
  if (entry.valuesCompared === undefined) return [own];
  return [own, { ...shared, key: `${key}c`, isCompared: true, values: valuesOf(entry.valuesCompared) }];
}

function valuesOf(series: Series | undefined): readonly (number | undefined)[] {
  return (series?.numbers ?? []).map((number) => (Number.isNaN(number) ? undefined : number));
}

/** Returns undefined for the group of what has no value. */
export function labelOf({ value }: GroupValue): string | undefined {
  return value.case === "label" ? value.value : undefined;
}

/** The words that a name of a row needs. */
export interface RowWords {
  readonly noValue: string;
  readonly compared: string;
}

/** Returns a name such as `login · Berlin`, with a word for the comparison. */
export function nameOfRow({ metric, group, split, isCompared }: ResultRow, words: RowWords): string {
  const own = split === undefined ? [] : [labelOf(split) ?? words.noValue];
  const labels = [...group.map((label) => label ?? words.noValue), ...own];
  return [metric, ...labels, ...(isCompared ? [words.compared] : [])].join(" · ");
}

/** Returns the labels of the buckets of a row. */
export function labelsOf(
  table: ResultTable,
  { isCompared }: Pick<ResultRow, "isCompared">,
): readonly string[] {
  return isCompared ? table.comparedLabels : table.labels;
}

/** Returns how numbers of a format are written. */
export function formatOptions(format: ValueFormat): Intl.NumberFormatOptions {
  switch (format) {
    case ValueFormat.FLOAT:
      return { minimumFractionDigits: 2, maximumFractionDigits: 2 };
    case ValueFormat.FLOAT3:
      return { minimumFractionDigits: 3, maximumFractionDigits: 3 };
    case ValueFormat.FLOAT4:
      return { minimumFractionDigits: 4, maximumFractionDigits: 4 };
    case ValueFormat.PERCENT:
      return { style: "percent", minimumFractionDigits: 2, maximumFractionDigits: 2 };
    case ValueFormat.INTEGER:
      return { maximumFractionDigits: 0 };
    default:
      return { maximumFractionDigits: 2 };
  }
}
