import type { Registry } from "../../../base/metrics/prom-client.ts";
import { counterFactory } from "./metrics.ts";

const outcomes = ["exported", "failed", "dropped"] as const;

export interface TracingMetrics {
  ended(spans: number, outcome: (typeof outcomes)[number]): void;
}

/** Registers the metrics of traces. */
export function createTracingMetrics(registry: Registry): TracingMetrics {
  const ended = counterFactory(registry)(
    "engage_trace_spans_total",
    "Recorded spans by whether the collector has them: exported, failed, or dropped because the queue was full",
    "outcome",
  );
  for (const outcome of outcomes) ended.add(0, outcome);
  return { ended: (spans, outcome) => ended.add(spans, outcome) };
}
