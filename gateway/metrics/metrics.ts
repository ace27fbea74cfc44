import { collectDefaultMetrics, Registry } from "prom-client";
import type { CallObserver } from "../call/record.ts";
import { callMetrics } from "./call-metrics.ts";
import { createCallTallies } from "./call-tallies.ts";
import { registerComputed } from "./computed-metric.ts";
import { eventLoopDelay } from "./event-loop.ts";

export interface Metrics {
  /** For the metrics of other layers; nothing is in prom-client's global registry. */
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
