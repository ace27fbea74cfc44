import type { Alert } from "./alert.ts";

const received = (range: string): string =>
  `sum by (job) (increase(engage_events_received_records_total[${range}]))`;

export const eventAlerts: readonly Alert[] = [
  {
    name: "EngageRecordsStopped",
    severity: "warning",
    lasts: "10m",
    expression: `${received("30m")} == 0 and ${received("1d")} > 0`,
    meaning: "No record has arrived for half an hour, after some arrived within a day.",
    actions:
      "See whether the senders run and reach the server: EngageUnknownAppId and EngageCallsFail say what it refuses. Delete the rule where nights without records are usual.",
  },
  {
    name: "EngageRecordsRefused",
    severity: "warning",
    lasts: "15m",
    expression: "sum by (job, source, reason) (rate(engage_events_refused_records_total[15m])) > 1",
    meaning: "More than one record a second is refused.",
    actions:
      "[Errors](errors.md) explains the reason. `engage dead-letters list record` shows the records, and `engage dead-letters replay record` hands them on again when the cause is gone.",
  },
  {
    name: "EngagePropertiesDropped",
    severity: "warning",
    lasts: "15m",
    expression:
      'sum by (job) (rate(engage_events_dropped_properties_total{reason="property_limit"}[15m])) > 0',
    meaning: "A project has no room for new properties, so that they are left out of records.",
    actions:
      "`engage store names` lists the properties with their use. Senders that make up names, such as one for each user, use the room up: correct them, then delete such names with their data by `engage store forget`.",
  },
  {
    name: "EngageUnknownAppId",
    severity: "warning",
    lasts: "10m",
    expression: 'rate(engage_events_rejected_bodies_total{reason="appid"}[10m]) > 0',
    meaning: "An SDK sends with an app id that no project has.",
    actions:
      "Its records are refused. Add the app id to `projects[].appids`, or correct the sender; the log of calls has its address.",
  },
  {
    name: "EngageRefusedRecordsLost",
    severity: "critical",
    lasts: "0m",
    expression: 'increase(engage_events_dead_letters_total{outcome="dropped"}[1h]) > 0',
    meaning: "Refused records are lost, since there is no space to keep them.",
    actions: "Free the disk of the data folder, or raise the bounds of `events.deadLetters`.",
  },
  {
    name: "EngageCompactingFails",
    severity: "warning",
    lasts: "0m",
    expression: "increase(engage_events_compact_errors_total[1d]) > 1.5",
    meaning: "Expired events are not deleted and days are not rewritten, so that the disk fills.",
    actions:
      "The log has the error. `engage store stats` shows sizes. With the server stopped, `engage store compact` repeats a round.",
  },
  {
    name: "EngageLoadingFails",
    severity: "critical",
    lasts: "5m",
    expression: "rate(engage_events_load_failures_total[10m]) > 0",
    meaning: "Batches of records cannot be loaded, and are retried.",
    actions:
      "Acknowledged records are safe in the spool and wait. The log has the error: mostly the disk or the memory of the event store, or a shard of ClickHouse that does not reply.",
  },
  {
    name: "EngageLoadingBehind",
    severity: "critical",
    lasts: "5m",
    expression: "engage_events_lag_seconds > 120",
    meaning: "Records that were acknowledged two minutes ago cannot be queried yet.",
    actions:
      "Where EngageLoadingFails fires too, begin there. Otherwise loading cannot keep up: compare `engage_events_received_records_total` with `engage_events_loaded_records_total`, and see [what to run](../scale.md).",
  },
  {
    name: "EngageRecordsLate",
    severity: "warning",
    lasts: "10m",
    expression:
      "histogram_quantile(0.95, sum by (job, le) (rate(engage_events_queryable_delay_seconds_bucket[10m]))) > 30",
    meaning: "Records can be queried later than half a minute after they arrive.",
    actions:
      "Compare the time of a load (`engage_events_load_seconds`) with `events.batch.maxDelayMs`. Queries and loads share memory and processors: see EngageQueriesWait.",
  },
  {
    name: "EngageUuidsForgotten",
    severity: "warning",
    lasts: "0m",
    expression: "increase(engage_events_forgotten_uuids_total[1h]) > 0",
    meaning: "Ids of records are forgotten too early, so that repeated records may be counted twice.",
    actions: "Raise `events.uuidWindow.maxUuids`, or shorten `events.uuidWindow.ms`.",
  },
];
