import type { Alert } from "./alert.ts";

/**
 * Methods that take long by their nature: streams, downloads, waits for messages, and queries, which have their own
 * alert.
 */
const longMethods =
  "engage[.]analysis[.]v1[.].*|.*/(Watch.*|Export.*|ParseLines|TrackStream|CheckReceiver|LeaseMessages)";

export const callAlerts: readonly Alert[] = [
  {
    name: "EngageCallsFail",
    severity: "critical",
    lasts: "0m",
    expression:
      'sum by (job, method, code) (increase(engage_calls_total{code=~"INTERNAL|DATA_LOSS|UNKNOWN"}[5m])) > 0',
    meaning: "Calls end with faults of the service.",
    actions:
      'Search the log for `"call failed"`: each line has the error and the id of the request. [Errors](errors.md) explains the reasons. A fault that repeats with the same input is a bug: report it with its line.',
  },
  {
    name: "EngageCallsSlow",
    severity: "warning",
    lasts: "10m",
    expression: `histogram_quantile(0.99, sum by (job, method, le) (rate(engage_call_duration_seconds_bucket{method!~"${longMethods}"}[5m]))) > 1`,
    meaning: "One call in a hundred of a method takes longer than a second.",
    actions:
      "Where all methods are slow, see EngageEventLoopLate and the disk of the data folder. Where one is slow, a [trace](../traces.md) shows where its time goes; webhooks of sync channels wait for their targets.",
  },
  {
    name: "EngageStoreDown",
    severity: "critical",
    lasts: "1m",
    expression: "engage_store_up == 0",
    meaning: "PostgreSQL or a shard of ClickHouse does not reply.",
    actions:
      "The label `part` names the server, and `/readyz` says what fails without it. While PostgreSQL is down, calls that store something are refused and repeated by their senders; while ClickHouse is down, records wait. Nothing is to be done here when the server is back.",
  },
  {
    name: "EngageSpansLost",
    severity: "warning",
    lasts: "0m",
    expression:
      'sum by (job, outcome) (increase(engage_trace_spans_total{outcome=~"failed|dropped"}[1h])) > 0',
    meaning: "Traces are incomplete, since their spans do not reach the collector.",
    actions:
      "`failed`: the collector refuses them or does not respond, for which the log has the reason. `dropped`: more spans wait than `tracing.maxQueue`; raise it, or record fewer [traces](../traces.md) by `tracing.ratio`. Calls are not delayed.",
  },
];
