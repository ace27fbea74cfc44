import { Gauge, Histogram, type Registry } from "../../../base/metrics/prom-client.ts";
import { type AnalysisObserver, operations, type ResultSource } from "../../../services/analysis/observer.ts";
import { counterFactory } from "./metrics.ts";

const sources: readonly ResultSource[] = ["engine", "shared", "cache"];
const buckets = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Registers the metrics of queries. The values of labels come from closed lists. */
export function createAnalysisMetrics(registry: Registry): AnalysisObserver {
  const counter = counterFactory(registry);
  const queries = counter(
    "engage_analysis_queries_total",
    "Queries by outcome",
    "operation",
    "engine",
    "outcome",
  );
  const results = counter(
    "engage_analysis_answers_total",
    "Answers by source: computed, computed for another caller, or cached",
    "operation",
    "source",
  );
  const seconds = new Histogram({
    name: "engage_analysis_query_seconds",
    help: "Time from the call to the end of its response",
    labelNames: ["operation", "engine"],
    buckets,
    registers: [registry],
  });
  const running = new Gauge({
    name: "engage_analysis_queries_running",
    help: "Queries in progress, including those that wait for their turn",
    labelNames: ["operation"],
    registers: [registry],
  });
  for (const operation of operations) running.set({ operation }, 0);
  for (const operation of ["analyze", "list_users"])
    for (const source of sources) results.add(0, operation, source);
  return {
    started: (operation) => running.inc({ operation }),
    resultSent: (operation, source) => results.add(1, operation, source),
    finished(operation, engine, outcome, duration) {
      running.dec({ operation });
      queries.add(1, operation, engine, outcome);
      seconds.observe({ operation, engine }, duration);
    },
  };
}
