import { monitorEventLoopDelay } from "node:perf_hooks";
import { collectDefaultMetrics, Registry } from "../../base/metrics/prom-client.ts";
import type { CallObserver } from "../call/record.ts";
import { callMetrics } from "./call-metrics.ts";
import { createCallTallies } from "./call-tallies.ts";
import { type ComputedMetric, registerComputed, type Sample } from "./computed-metric.ts";

export interface Metrics {
  /** Holds the metrics of all layers. The global registry of prom-client is not used. */
  readonly registry: Registry;
  /** Counts calls. */
  readonly observer: CallObserver;
  /** Content type of `text`. */
  readonly contentType: string;
  /** All metrics in the text format of Prometheus. */
  text(): Promise<string>;
}

/**
 * The metrics of the calls and, unless `process` is false, those of the
 * process: CPU, memory, handles, garbage collection, event-loop delay. The
 * latter start observers that live as long as the process, so create them once.
 */
export function createMetrics(options: { readonly process?: boolean } = {}): Metrics {
  const registry = new Registry();
  const tallies = createCallTallies();
  for (const metric of callMetrics(tallies)) registerComputed(registry, metric);
  if (options.process !== false) {
    registerComputed(registry, eventLoopDelay());
    collectDefaultMetrics({ register: registry });
  }
  return {
    registry,
    observer: tallies.observer,
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

const resolutionMs = 10;

/**
 * How late timers fire, since the last scrape. Node's figures contain the
 * interval of the measuring timer itself, which is taken off here: an idle
 * process reads close to 0 and not 10 ms.
 */
function eventLoopDelay(): ComputedMetric {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  const sample = (quantile: string, nanoseconds: number): Sample => ({
    labels: { quantile },
    value: Math.max(0, nanoseconds / 1e9 - resolutionMs / 1e3),
  });
  return {
    name: "engage_event_loop_delay_seconds",
    help: "How late timers fired since the last scrape; quantile 1 is the maximum",
    type: "summary",
    labels: ["quantile"],
    samples: () => {
      const samples = [
        sample("0.5", delay.percentile(50)),
        sample("0.99", delay.percentile(99)),
        sample("1", delay.max),
      ];
      delay.reset();
      return samples;
    },
  };
}
