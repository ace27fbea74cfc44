import { wordOf } from "../../../../base/protobuf/enum-words.ts";
import {
  Aggregation,
  AggregationSchema,
  type EventMetric,
  MetricType,
} from "../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { needsQuota } from "./operand.ts";

/**
 * Returns the key of each metric in REST results. Equal keys get the prefixes `1_`, `2_` and so on unless they may be
 * shared.
 */
export function assignResultKeys(metrics: readonly EventMetric[], mayShare: boolean): readonly string[] {
  const keys = metrics.map(resultKeyOf);
  if (mayShare) return keys;
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const numbers = new Map<string, number>();
  return keys.map((key) => {
    if (counts.get(key) === 1) return key;
    numbers.set(key, (numbers.get(key) ?? 0) + 1);
    return `${numbers.get(key)}_${key}`;
  });
}

function resultKeyOf({ type, eventName, analysis, quota }: EventMetric): string {
  if (type === MetricType.CUSTOMIZED || analysis === Aggregation.UNSPECIFIED) return eventName;
  const word = wordOf(AggregationSchema, analysis);
  return needsQuota(analysis) ? `${eventName}.${quota}.${word}` : `${eventName}.${word}`;
}
