import type { AlertGroup } from "./alert.ts";
import { callAlerts } from "./calls.ts";
import { eventAlerts } from "./events.ts";
import { parserAlerts } from "./parser.ts";
import { processAlerts } from "./process.ts";
import { pushAlerts } from "./pushes.ts";
import { queryAlerts } from "./queries.ts";
import { webhookAlerts } from "./webhooks.ts";

export const alertGroups: readonly AlertGroup[] = [
  { title: "Process", alerts: processAlerts },
  { title: "Calls and stores", alerts: callAlerts },
  { title: "Parser", alerts: parserAlerts },
  { title: "Events", alerts: eventAlerts },
  { title: "Queries", alerts: queryAlerts },
  { title: "Webhooks", alerts: webhookAlerts },
  { title: "Pushes", alerts: pushAlerts },
];

/** Metrics of this service without an alert: they are for graphs, or the alert of another metric covers them. */
export const withoutAlert: readonly string[] = [
  "engage_analysis_answers_total",
  "engage_analysis_queries_running",
  "engage_calls_in_flight",
  "engage_channel_messages_total",
  "engage_channel_request_seconds",
  "engage_channel_warnings_total",
  "engage_events_duplicate_records_total",
  "engage_events_lag_bytes",
  "engage_events_load_batches_total",
  "engage_events_load_seconds",
  "engage_events_loaded_records_total",
  "engage_events_queries_running",
  "engage_events_torn_records_total",
  "engage_message_bytes_total",
  "engage_parser_batch_bytes_total",
  "engage_parser_batches_total",
  "engage_parser_dead_letters_written_total",
  "engage_parser_records_total",
  "engage_webhook_batches_total",
  "engage_webhook_breaker_opened_total",
  "engage_webhook_calls_in_flight",
  "engage_webhook_click_forward_retries_total",
  "engage_webhook_click_forwarded_total",
  "engage_webhook_click_unforwarded_bytes",
  "engage_webhook_dead_letters",
  "engage_webhook_held_messages",
  "engage_webhook_inbox_bytes",
  "engage_webhook_pending",
  "engage_webhook_warnings_total",
];
