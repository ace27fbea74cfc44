import { getOption } from "@bufbuild/protobuf";
import {
  AggregationSchema,
  type EventMetric,
  MetricType,
} from "../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { json_word } from "../../../../gen/engage/gateway/v1/options_pb.ts";

/** The metric to which a result belongs. */
export interface MetricMatch {
  /** The zero-based index of the metric in the query. */
  readonly eventIndex: number;
  /** The value of the split; undefined if the metric is not split. */
  readonly splitValue: string | undefined;
}

/**
 * Finds the metric of each result by its key; results with equal keys are matched in order. A key that belongs to no
 * metric stands for the metric at the same index. Returns undefined if there is no such metric.
 */
export function matchMetrics(
  keys: readonly string[],
  metrics: readonly EventMetric[],
): readonly MetricMatch[] | undefined {
  const used = new Set<number>();
  const matches = keys.map((key, place): MetricMatch | undefined => {
    const known = findMetric(key, metrics, used);
    const isPlaced = keys.length === metrics.length && !used.has(place);
    const match = known ?? (isPlaced ? { eventIndex: place, splitValue: undefined } : undefined);
    if (match !== undefined && match.splitValue === undefined) used.add(match.eventIndex);
    return match;
  });
  return matches.every((match) => match !== undefined) ? matches : undefined;
}

/** Finds the metric of a key, with or without the number that distinguishes equal keys. */
export function findMetric(
  key: string,
  metrics: readonly EventMetric[],
  used: ReadonlySet<number>,
): MetricMatch | undefined {
  return find(key, metrics, used) ?? find(key.replace(/^\d+_/, ""), metrics, used);
}

function find(
  key: string,
  metrics: readonly EventMetric[],
  used: ReadonlySet<number>,
): MetricMatch | undefined {
  const whole = metrics.findIndex((metric, i) => !used.has(i) && namesOf(metric).includes(key));
  if (whole !== -1) return { eventIndex: whole, splitValue: undefined };
  for (const [eventIndex, metric] of metrics.entries()) {
    if (metric.eventSplitIndexes.length === 0 || !key.endsWith(")")) continue;
    const name = namesOf(metric).find((known) => key.startsWith(`${known}(`));
    if (name !== undefined) return { eventIndex, splitValue: key.slice(name.length + 1, -1) };
  }
  return undefined;
}

/** Returns the names that deployments are known to use for the result of a metric. */
export function namesOf(metric: EventMetric): readonly string[] {
  const { eventName, quota, metricName, eventNameDisplay } = metric;
  const analysis = getOption(
    AggregationSchema.value[metric.analysis] ?? AggregationSchema.values[0]!,
    json_word,
  );
  const plain = [eventName, quota, analysis].filter((part) => part !== "").join(".");
  const names =
    metric.type === MetricType.CUSTOMIZED || analysis === ""
      ? [eventName, metricName, plain]
      : [plain, `${eventName}.${analysis}`];
  return [...new Set([...names, eventNameDisplay])].filter((name) => name !== "");
}
