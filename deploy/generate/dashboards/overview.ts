import type { DashboardPlan, Row } from "./plan.ts";
import { maxOf, quantileOf, rateOf, series, sumOf } from "./promql.ts";

const faults = { code: "~INTERNAL|DATA_LOSS|UNKNOWN" };

const attention: Row = {
  title: "What needs attention",
  panels: [
    {
      title: "Faults",
      text: "Calls a second that end with a fault of the service.",
      unit: "reqps",
      form: "value",
      troubleFrom: 0.000_001,
      queries: [rateOf("engage_calls_total", { selector: faults })],
    },
    {
      title: "Inbox",
      text: "1 while batches of webhooks can be stored.",
      unit: "short",
      form: "value",
      troubleBelow: 1,
      queries: [{ expression: `min (${series("engage_webhook_inbox_writable")})`, legend: "writable" }],
    },
    {
      title: "Stores",
      text: "The number of servers of shared stores that do not reply.",
      unit: "short",
      form: "value",
      troubleFrom: 1,
      queries: [
        {
          expression: `count (${series("engage_store_up")} == 0) or vector(0)`,
          legend: "down",
        },
      ],
    },
    {
      title: "Oldest message",
      text: "How long the oldest message of a webhook has waited for its target.",
      unit: "s",
      form: "value",
      troubleFrom: 600,
      queries: [maxOf("engage_webhook_oldest_pending_seconds")],
    },
    {
      title: "Oldest record",
      text: "How long the oldest acknowledged record has waited until it can be queried.",
      unit: "s",
      form: "value",
      troubleFrom: 120,
      queries: [maxOf("engage_events_lag_seconds")],
    },
    {
      title: "Event loop",
      text: "How late timers of the process fire, which is how late all calls are. 99 of 100 fire earlier.",
      unit: "s",
      form: "value",
      troubleFrom: 0.1,
      queries: [maxOf("engage_event_loop_delay_seconds", { selector: { quantile: "0.99" } })],
    },
  ],
};

const calls: Row = {
  title: "Calls",
  panels: [
    {
      title: "Calls by code",
      text: "Finished calls a second by their status code of gRPC.",
      unit: "reqps",
      form: "areas",
      queries: [rateOf("engage_calls_total", { labels: ["code"] })],
    },
    {
      title: "Calls by method",
      text: "Finished calls a second by method and protocol.",
      unit: "reqps",
      queries: [rateOf("engage_calls_total", { labels: ["method", "protocol"] })],
    },
    {
      title: "Duration",
      text: "99 of 100 calls of a method are shorter. Streams last as long as their readers stay.",
      unit: "s",
      queries: [quantileOf(0.99, "engage_call_duration_seconds", { labels: ["method"] })],
    },
    {
      title: "Calls in progress",
      text: "Calls that have begun and not finished.",
      unit: "short",
      queries: [sumOf("engage_calls_in_flight", { labels: ["method", "protocol"] })],
    },
    {
      title: "Bytes",
      text: "Bytes of messages a second, without framing and headers: `in` for requests, `out` for responses.",
      unit: "Bps",
      queries: [rateOf("engage_message_bytes_total", { labels: ["direction"] })],
    },
    {
      title: "Spans of traces",
      text: "Recorded spans a second: sent to the collector, failed, or dropped since too many waited.",
      unit: "cps",
      queries: [rateOf("engage_trace_spans_total", { labels: ["outcome"] })],
    },
  ],
};

const processes: Row = {
  title: "Processes",
  panels: [
    {
      title: "Processor time",
      text: "Seconds of processor time a second: 1 is one processor.",
      unit: "short",
      queries: [rateOf("process_cpu_seconds_total", { labels: ["instance"] })],
    },
    {
      title: "Memory",
      text: "Memory of the process that is resident, with that of the engine of events.",
      unit: "bytes",
      queries: [sumOf("process_resident_memory_bytes", { labels: ["instance"] })],
    },
    {
      title: "Event loop delay",
      text: "How late timers fired since the last scrape, by quantile; 1 is the maximum.",
      unit: "s",
      queries: [maxOf("engage_event_loop_delay_seconds", { labels: ["quantile"] })],
    },
    {
      title: "Files and connections",
      text: "Open files and connections of the process.",
      unit: "short",
      queries: [sumOf("process_open_fds", { labels: ["instance"] })],
    },
    {
      title: "Stores that replicas share",
      text: "1 while PostgreSQL, or a shard of ClickHouse, replies.",
      unit: "short",
      queries: [{ expression: `min by (part) (${series("engage_store_up")})`, legend: "{{part}}" }],
    },
  ],
};

export const overview: DashboardPlan = {
  name: "overview",
  title: "engage: overview",
  text: "What needs attention, calls over all protocols, and the processes that serve them.",
  rows: [attention, calls, processes],
};
