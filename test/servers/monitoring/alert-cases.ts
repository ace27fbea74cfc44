import {
  type AlertCase,
  counted,
  grewOnce,
  grows,
  instance,
  loop,
  measured,
  seriesOf,
  slow,
} from "./alert-case.ts";

const target = { target: "crm" };
const channel = { channel: "demo" };
const reason = { reason: "invalid_json" };

const processes: readonly AlertCase[] = [
  {
    name: "EngageDown",
    series: { [seriesOf("up")]: ["1x30 0x30", "1x60"], ...loop("1", ["0x30", "0x60"]) },
    labels: instance,
  },
  {
    name: "EngageRestarts",
    series: {
      [seriesOf("process_start_time_seconds")]: ["1x44 2x4 3x4 4x10", "1x44 2x4 3x20"],
      ...loop("1", ["0x60", "0x60"]),
    },
    labels: instance,
  },
  {
    name: "EngageFewFilesLeft",
    series: {
      [seriesOf("process_open_fds")]: ["81x60", "79x60"],
      [seriesOf("process_max_fds")]: ["100x60", "100x60"],
      ...loop("1", ["0x60", "0x60"]),
    },
    labels: instance,
  },
  measured("EngageEventLoopLate", "engage_event_loop_delay_seconds", 0.11, 0.1, { quantile: "0.99" }),
];

const long = { method: "engage.event.v1.RecordWatcher/WatchRecords" };
const called = slow("EngageCallsSlow", "engage_call_duration_seconds", [1, 2.5], {
  method: "proto.Parser/Parse",
});

const calls: readonly AlertCase[] = [
  counted(
    "EngageCallsFail",
    "engage_calls_total",
    { method: "proto.Parser/Parse", code: "INTERNAL" },
    { method: "proto.Parser/Parse", code: "INTERNAL" },
    ["0x58 1x2", "1x60"],
  ),
  {
    ...called,
    series: {
      ...called.series,
      [seriesOf("engage_call_duration_seconds_bucket", { ...long, le: "1" })]: ["0x60", "0x60"],
      [seriesOf("engage_call_duration_seconds_bucket", { ...long, le: "+Inf" })]: ["0+100x60", "0+100x60"],
    },
  },
  measured("EngageStoreDown", "engage_store_up", 0, 1, { part: "postgres" }),
  counted(
    "EngageSpansLost",
    "engage_trace_spans_total",
    { outcome: "failed" },
    { outcome: "failed" },
    grewOnce,
  ),
];

const parser: readonly AlertCase[] = [
  {
    name: "EngageLinesFail",
    series: {
      [seriesOf("engage_parser_failed_items_total", reason)]: ["0+2x60", "0+1x60"],
      [seriesOf("engage_parser_items_total", { format: "json" })]: ["0+100x60", "0+100x60"],
    },
    labels: {},
  },
  counted("EngageSeparatorInData", "engage_parser_separator_collisions_total", {}, instance, grewOnce),
  counted("EngageParserWorkerCrashed", "engage_parser_worker_crashes_total", {}, instance, grewOnce),
  counted("EngageParserRefusesCalls", "engage_parser_refused_calls_total", {}, instance, grows),
  counted("EngageParserDeadLettersLost", "engage_parser_dead_letters_dropped_total", {}, instance, grewOnce),
  measured("EngageParserDeadLettersFail", "engage_parser_dead_letters_failing", 1, 0),
];

const dropped = { outcome: "dropped" };
const limited = { source: "load", reason: "property_limit" };

const events: readonly AlertCase[] = [
  counted(
    "EngageRecordsStopped",
    "engage_events_received_records_total",
    { project: "1", source: "sdk" },
    {},
    ["0+10x9 100x50", "0+10x60"],
  ),
  counted(
    "EngageRecordsRefused",
    "engage_events_refused_records_total",
    { source: "load", ...reason },
    { source: "load", ...reason },
    ["0+66x60", "0+54x60"],
  ),
  counted("EngagePropertiesDropped", "engage_events_dropped_properties_total", limited, {}, grows),
  counted(
    "EngageUnknownAppId",
    "engage_events_rejected_bodies_total",
    { reason: "appid" },
    { ...instance, reason: "appid" },
    grows,
  ),
  counted(
    "EngageRefusedRecordsLost",
    "engage_events_dead_letters_total",
    dropped,
    { ...instance, ...dropped },
    grewOnce,
  ),
  counted("EngageCompactingFails", "engage_events_compact_errors_total", {}, instance, [
    "0x9 1x9 2x40",
    "0x9 1x50",
  ]),
  counted("EngageLoadingFails", "engage_events_load_failures_total", {}, instance, grows),
  measured("EngageLoadingBehind", "engage_events_lag_seconds", 121, 120),
  slow("EngageRecordsLate", "engage_events_queryable_delay_seconds", [30, 60]),
  counted("EngageUuidsForgotten", "engage_events_forgotten_uuids_total", {}, instance, grewOnce),
];

const operation = { operation: "analyze" };
const engine = { engine: "embedded" };

const queries: readonly AlertCase[] = [
  counted(
    "EngageQueriesFail",
    "engage_analysis_queries_total",
    { ...operation, ...engine, outcome: "internal" },
    { ...operation, ...engine },
    grows,
  ),
  slow("EngageQueriesSlow", "engage_analysis_query_seconds", [10, 30], operation),
  measured("EngageQueriesWait", "engage_events_queries_waiting", 9, 8),
];

const webhooks: readonly AlertCase[] = [
  measured("EngageInboxNotWritable", "engage_webhook_inbox_writable", 0, 1),
  measured("EngageInboxDiskNearlyFull", "engage_webhook_inbox_free_bytes", 1_999_999_999, 2_000_000_000),
  counted(
    "EngageInboxFails",
    "engage_webhook_inbox_errors_total",
    { operation: "lease" },
    { operation: "lease" },
    grows,
  ),
  counted(
    "EngageSignaturesWrong",
    "engage_webhook_refused_batches_total",
    { ...channel, reason: "unauthenticated" },
    channel,
    grows,
  ),
  {
    name: "EngageMessagesRefused",
    series: {
      [seriesOf("engage_webhook_elements_total", { ...channel, outcome: "failed" })]: ["0+6x60", "0+4x60"],
      [seriesOf("engage_webhook_elements_total", { ...channel, outcome: "accepted" })]: [
        "0+94x60",
        "0+96x60",
      ],
    },
    labels: channel,
  },
  counted(
    "EngagePushIdChecksFail",
    "engage_webhook_failed_checks_total",
    { ...channel, what: "push_id_check" },
    { ...channel, what: "push_id_check" },
    grows,
  ),
  counted(
    "EngageDeliveriesDead",
    "engage_webhook_deliveries_total",
    { ...target, outcome: "dead" },
    target,
    grewOnce,
  ),
  measured("EngageMessagesWait", "engage_webhook_oldest_pending_seconds", 601, 600),
  counted("EngageTargetDown", "engage_webhook_breaker_state", { ...target, state: "open" }, target, [
    "1x60",
    "0x60",
  ]),
  slow("EngageTargetSlow", "engage_webhook_target_call_seconds", [5, 10], target),
  counted("EngageLeasesLost", "engage_webhook_lost_leases_total", target, target, grows),
  counted(
    "EngageClicksLost",
    "engage_webhook_clicks_total",
    { outcome: "failed" },
    { ...instance, outcome: "failed" },
    grewOnce,
  ),
  counted("EngageClicksRefused", "engage_webhook_click_dead_letters_total", {}, instance, grewOnce),
  counted("EngageClickFilesFail", "engage_webhook_click_forward_errors_total", {}, instance, grewOnce),
  measured("EngageClicksWait", "engage_webhook_click_oldest_unforwarded_seconds", 3_601, 3_600),
];

const pushes: readonly AlertCase[] = [
  {
    name: "EngagePushesFail",
    series: {
      [seriesOf("engage_channel_requests_total", { outcome: "failed", reason: "timeout" })]: [
        "0+6x60",
        "0+4x60",
      ],
      [seriesOf("engage_channel_requests_total", { outcome: "accepted", reason: "" })]: [
        "0+94x60",
        "0+96x60",
      ],
    },
    labels: {},
  },
  counted(
    "EngageRunsRefused",
    "engage_channel_runs_total",
    { outcome: "refused" },
    { ...instance, outcome: "refused" },
    grewOnce,
  ),
  counted(
    "EngageTimesMissed",
    "engage_channel_scheduled_times_total",
    { outcome: "missed" },
    { ...instance, outcome: "missed" },
    grewOnce,
  ),
  counted(
    "EngagePushStoreFails",
    "engage_channel_errors_total",
    { what: "delivery" },
    { what: "delivery" },
    grows,
  ),
];

/** What each alert fires at, in the order of the rules. */
export const alertCases: readonly AlertCase[] = [
  ...processes,
  ...calls,
  ...parser,
  ...events,
  ...queries,
  ...webhooks,
  ...pushes,
];
