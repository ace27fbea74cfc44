/** What to watch a metric for: an expression of PromQL that is true in trouble, and what it means. */
export interface Alert {
  readonly expression: string;
  readonly meaning: string;
}

const alert = (expression: string, meaning: string): Alert => ({ expression, meaning });
/** The metric is for graphs, or another metric's alert covers it. */
const none = undefined;

/** Ideas for alerts by metric. The figures are to be adapted to a deployment. */
export const alerts: Readonly<Record<string, Alert | undefined>> = {
  engage_calls_total: alert(
    'sum(rate(engage_calls_total{code=~"INTERNAL|DATA_LOSS|UNKNOWN"}[5m])) > 0',
    "Calls end with faults of the service: search the log for their request ids.",
  ),
  engage_call_duration_seconds: alert(
    "histogram_quantile(0.99, sum by (le, method) (rate(engage_call_duration_seconds_bucket[5m]))) > 1",
    "One call in a hundred of a method takes longer than a second.",
  ),
  engage_calls_in_flight: none,
  engage_message_bytes_total: none,
  engage_event_loop_delay_seconds: alert(
    'engage_event_loop_delay_seconds{quantile="0.99"} > 0.1',
    "The process is overloaded, so that all calls are late.",
  ),
  engage_parser_items_total: none,
  engage_parser_records_total: none,
  engage_parser_failed_items_total: alert(
    "sum(rate(engage_parser_failed_items_total[15m])) / (sum(rate(engage_parser_items_total[15m])) + sum(rate(engage_parser_failed_items_total[15m]))) > 0.01",
    "More than 1 % of the lines have no record: see the dead letters by reason.",
  ),
  engage_parser_separator_collisions_total: alert(
    "rate(engage_parser_separator_collisions_total[15m]) > 0",
    "The separator occurs in data: choose another one on both sides.",
  ),
  engage_parser_batches_total: none,
  engage_parser_batch_bytes_total: none,
  engage_parser_worker_crashes_total: alert(
    "increase(engage_parser_worker_crashes_total[1h]) > 0",
    "A worker thread ended unexpectedly: search the log.",
  ),
  engage_parser_refused_calls_total: alert(
    "rate(engage_parser_refused_calls_total[5m]) > 0",
    "The workers cannot keep up: raise parser.workers, or add replicas.",
  ),
  engage_parser_dead_letters_written_total: none,
  engage_parser_dead_letters_dropped_total: alert(
    "increase(engage_parser_dead_letters_dropped_total[1h]) > 0",
    "Lines without a record are lost: see the disk.",
  ),
  engage_parser_dead_letters_failing: alert(
    "engage_parser_dead_letters_failing == 1",
    "Dead letters cannot be written: see the disk and the log.",
  ),
  engage_events_received_records_total: alert(
    "sum(rate(engage_events_received_records_total[15m])) == 0",
    "No record arrives, where records always do.",
  ),
  engage_events_refused_records_total: alert(
    "sum by (reason) (rate(engage_events_refused_records_total[15m])) > 1",
    "Records are refused: see the dead letters by reason.",
  ),
  engage_events_dropped_properties_total: alert(
    'rate(engage_events_dropped_properties_total{reason="property_limit"}[15m]) > 0',
    "The project has no room for new properties.",
  ),
  engage_events_rejected_bodies_total: alert(
    'rate(engage_events_rejected_bodies_total{reason="appid"}[15m]) > 0',
    "An SDK sends with an unknown app id.",
  ),
  engage_events_dead_letters_total: alert(
    'increase(engage_events_dead_letters_total{outcome="dropped"}[1h]) > 0',
    "Refused records are lost: see the disk.",
  ),
  engage_events_torn_records_total: none,
  engage_events_compact_errors_total: alert(
    "increase(engage_events_compact_errors_total[1d]) > 1",
    "Retention fails, so that the disk fills: search the log.",
  ),
  engage_events_loaded_records_total: none,
  engage_events_duplicate_records_total: none,
  engage_events_load_batches_total: none,
  engage_events_load_failures_total: alert(
    "rate(engage_events_load_failures_total[10m]) > 0",
    "Batches fail and are retried: see the event store and the log.",
  ),
  engage_events_forgotten_uuids_total: alert(
    "increase(engage_events_forgotten_uuids_total[1h]) > 0",
    "Repeated records may be counted twice: raise events.uuidWindow.maxUuids.",
  ),
  engage_events_load_seconds: none,
  engage_events_queryable_delay_seconds: alert(
    "histogram_quantile(0.95, sum by (le) (rate(engage_events_queryable_delay_seconds_bucket[10m]))) > 30",
    "Records can be queried late.",
  ),
  engage_events_queries_running: none,
  engage_events_queries_waiting: alert(
    "engage_events_queries_waiting > 8",
    "Queries wait for a slot: see events.engine.maxQueries and who asks so much.",
  ),
  engage_events_lag_bytes: none,
  engage_events_lag_seconds: alert(
    "engage_events_lag_seconds > 120",
    "Acknowledged records cannot be queried: loading stands still or cannot keep up.",
  ),
  engage_trace_spans_total: alert(
    'increase(engage_trace_spans_total{outcome=~"failed|dropped"}[1h]) > 0',
    "Traces are incomplete: the collector is unavailable or slow, or tracing.maxQueue is too small.",
  ),
  engage_store_up: alert("engage_store_up == 0", "PostgreSQL or a shard of ClickHouse does not reply."),
  engage_analysis_queries_total: alert(
    'sum(rate(engage_analysis_queries_total{outcome=~"internal|unavailable"}[5m])) > 0',
    "Queries fail by a fault, or because the engine is unavailable.",
  ),
  engage_analysis_answers_total: none,
  engage_analysis_query_seconds: alert(
    "histogram_quantile(0.95, sum by (le, operation) (rate(engage_analysis_query_seconds_bucket[10m]))) > 10",
    "Queries are slow: see their time ranges, and the memory of the engine.",
  ),
  engage_analysis_queries_running: none,
  engage_webhook_batches_total: none,
  engage_webhook_refused_batches_total: alert(
    'rate(engage_webhook_refused_batches_total{reason="unauthenticated"}[10m]) > 0',
    "Signatures do not match: the secret differs, or a proxy changes the body.",
  ),
  engage_webhook_elements_total: alert(
    'sum by (channel) (rate(engage_webhook_elements_total{outcome="failed"}[15m])) / sum by (channel) (rate(engage_webhook_elements_total[15m])) > 0.05',
    "More than 5 % of the messages of a channel are refused: see pushId of the channel.",
  ),
  engage_webhook_warnings_total: none,
  engage_webhook_failed_checks_total: alert(
    "rate(engage_webhook_failed_checks_total[10m]) > 0",
    "The push-id checker or the targets of a sync channel fail.",
  ),
  engage_webhook_deliveries_total: alert(
    'increase(engage_webhook_deliveries_total{outcome="dead"}[15m]) > 0',
    "Messages were given up: see the dead letters, and replay them when the cause is gone.",
  ),
  engage_webhook_breaker_opened_total: none,
  engage_webhook_lost_leases_total: alert(
    "rate(engage_webhook_lost_leases_total[15m]) > 0",
    "Another process took messages over, since this one was too slow: they may be delivered twice.",
  ),
  engage_webhook_target_call_seconds: alert(
    "histogram_quantile(0.95, sum by (le, target) (rate(engage_webhook_target_call_seconds_bucket[10m]))) > 5",
    "A target is slow.",
  ),
  engage_webhook_inbox_errors_total: alert(
    "rate(engage_webhook_inbox_errors_total[10m]) > 0",
    "The inbox fails: see its disk or database.",
  ),
  engage_webhook_clicks_total: alert(
    'increase(engage_webhook_clicks_total{outcome="failed"}[15m]) > 0',
    "Clicks are lost: see the disk.",
  ),
  engage_webhook_pending: none,
  engage_webhook_dead_letters: none,
  engage_webhook_inbox_writable: alert(
    "engage_webhook_inbox_writable == 0",
    "Batches are refused with 503: see the disk or database of the inbox.",
  ),
  engage_webhook_oldest_pending_seconds: alert(
    "engage_webhook_oldest_pending_seconds > 600",
    "A message waits for longer than ten minutes: see its target.",
  ),
  engage_webhook_inbox_bytes: none,
  engage_webhook_inbox_free_bytes: alert(
    "engage_webhook_inbox_free_bytes < 2e9",
    "The disk of the inbox is nearly full; below webhook.inbox.minFreeBytes batches are refused.",
  ),
  engage_webhook_breaker_state: alert(
    'max_over_time(engage_webhook_breaker_state{state="open"}[5m]) == 1',
    "A target is down.",
  ),
  engage_webhook_calls_in_flight: none,
  engage_webhook_held_messages: none,
  engage_webhook_click_forwarded_total: none,
  engage_webhook_click_forward_retries_total: none,
  engage_webhook_click_dead_letters_total: alert(
    "increase(engage_webhook_click_dead_letters_total[1h]) > 0",
    "The ingest refused clicks: search the log for its reasons.",
  ),
  engage_webhook_click_forward_errors_total: alert(
    "increase(engage_webhook_click_forward_errors_total[1h]) > 0",
    "Files of clicks cannot be read or written.",
  ),
  engage_webhook_click_unforwarded_bytes: none,
  engage_webhook_click_oldest_unforwarded_seconds: alert(
    "engage_webhook_click_oldest_unforwarded_seconds > 3600",
    "Clicks have not reached the ingest for an hour.",
  ),
  engage_channel_requests_total: alert(
    'sum(rate(engage_channel_requests_total{outcome=~"failed|retry"}[10m])) / sum(rate(engage_channel_requests_total[10m])) > 0.05',
    "More than 5 % of the requests to receivers fail: see the reasons.",
  ),
  engage_channel_messages_total: none,
  engage_channel_warnings_total: none,
  engage_channel_runs_total: alert(
    'increase(engage_channel_runs_total{outcome="refused"}[1h]) > 0',
    "A run could not be prepared: see the task and its audience.",
  ),
  engage_channel_scheduled_times_total: alert(
    'increase(engage_channel_scheduled_times_total{outcome="missed"}[1h]) > 0',
    "A scheduled time passed while no server ran.",
  ),
  engage_channel_errors_total: alert(
    "rate(engage_channel_errors_total[10m]) > 0",
    "The store of channels or the audience of a task fails: search the log.",
  ),
  engage_channel_request_seconds: none,
};
