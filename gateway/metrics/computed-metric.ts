import type { Metric, Registry } from "../../base/metrics/prom-client.ts";

export type MetricType = "counter" | "gauge" | "histogram" | "summary";

/** One line of the exposition. */
export interface Sample {
  /** The name of the sample if it differs from the metric's, as that of a `_bucket` line does. */
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

export interface ComputedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: MetricType;
  /** The names of the labels of all samples; `le` of a histogram is none of them. */
  readonly labels: readonly string[];
  /** Called at each scrape. */
  readonly samples: () => readonly Sample[] | Promise<readonly Sample[]>;
}

/**
 * Registers a metric whose samples are computed when they are asked for. A
 * registry of prom-client 15 needs no more of a metric than its name, `get`
 * and `reset`.
 */
export function registerComputed(registry: Registry, metric: ComputedMetric): void {
  const { name, help, type, labels, samples } = metric;
  const adapter = {
    name,
    help,
    type,
    aggregator: "sum",
    labelNames: labels,
    get: async () => ({ name, help, type, aggregator: "sum", values: await samples() }),
    reset: () => undefined,
  };
  registry.registerMetric(adapter as unknown as Metric);
}
