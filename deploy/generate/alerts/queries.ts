import type { Alert } from "./alert.ts";

export const queryAlerts: readonly Alert[] = [
  {
    name: "EngageQueriesFail",
    severity: "critical",
    lasts: "5m",
    expression:
      'sum by (job, operation, engine) (rate(engage_analysis_queries_total{outcome=~"internal|unavailable"}[5m])) > 0',
    meaning: "Queries fail by a fault, or because the engine is unavailable.",
    actions:
      "The label `engine` says where: `embedded` is the event store of this server, `platform` the server under `analysis.platform.url`. The log has the error; `/readyz` shows whether the store replies.",
  },
  {
    name: "EngageQueriesSlow",
    severity: "warning",
    lasts: "10m",
    expression:
      "histogram_quantile(0.95, sum by (job, operation, le) (rate(engage_analysis_query_seconds_bucket[10m]))) > 10",
    meaning: "One query in twenty takes longer than ten seconds.",
    actions:
      "Long ranges of time and groups with many values take long: a [trace](../traces.md) has the statements of a query. See `events.engine` for the memory and threads of the engine, and [what to run](../scale.md).",
  },
  {
    name: "EngageQueriesWait",
    severity: "warning",
    lasts: "5m",
    expression: "engage_events_queries_waiting > 8",
    meaning: "More than eight queries wait for a slot of the event store.",
    actions:
      "Beyond `events.engine.maxWaiting`, further ones are refused. `engage_analysis_queries_total` counts them by operation; limit a caller by `analysis.tokens[].rateLimit`, or raise `events.engine.maxQueries` where memory and processors are left.",
  },
];
