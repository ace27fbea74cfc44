import { clicks } from "./clicks.ts";
import type { DashboardPlan, Row } from "./plan.ts";
import { maxOf, quantileOf, rateOf, series, sumOf } from "./promql.ts";

const received: Row = {
  title: "Received",
  panels: [
    {
      title: "Batches",
      text: "Batches a second that were stored, and repeated ones that got the first reply again.",
      unit: "reqps",
      queries: [rateOf("engage_webhook_batches_total", { labels: ["channel", "outcome"] })],
    },
    {
      title: "Refused batches",
      text: "Batches a second that were refused as a whole, by reason.",
      unit: "reqps",
      queries: [rateOf("engage_webhook_refused_batches_total", { labels: ["channel", "reason"] })],
    },
    {
      title: "Messages",
      text: "Messages a second in stored batches: accepted, or failed and named in the reply.",
      unit: "mps",
      queries: [rateOf("engage_webhook_elements_total", { labels: ["channel", "outcome"] })],
    },
    {
      title: "Warnings and failed checks",
      text: "Oddities of accepted batches, and batches that were accepted without a check or a delivery that failed.",
      unit: "cps",
      queries: [
        rateOf("engage_webhook_warnings_total", { labels: ["channel", "kind"] }),
        rateOf("engage_webhook_failed_checks_total", { labels: ["channel", "what"] }),
      ],
    },
  ],
};

const delivered: Row = {
  title: "Delivered",
  panels: [
    {
      title: "Messages by outcome",
      text: "Messages a second by the outcome of an attempt: done, retried later, or given up as dead.",
      unit: "mps",
      queries: [rateOf("engage_webhook_deliveries_total", { labels: ["target", "outcome"] })],
    },
    {
      title: "Duration of calls",
      text: "95 of 100 calls of a target are shorter.",
      unit: "s",
      queries: [quantileOf(0.95, "engage_webhook_target_call_seconds", { labels: ["target"] })],
    },
    {
      title: "Targets that are down",
      text: "1 while the breaker of a target is open, so that its messages wait.",
      unit: "short",
      queries: [maxOf("engage_webhook_breaker_state", { labels: ["target"], selector: { state: "open" } })],
    },
    {
      title: "Breakers opened, leases lost",
      text: "How often a second a target was considered down, and messages that another process took over.",
      unit: "cps",
      queries: [
        rateOf("engage_webhook_breaker_opened_total", { labels: ["target"], legend: "{{target}} opened" }),
        rateOf("engage_webhook_lost_leases_total", { labels: ["target"], legend: "{{target}} lost" }),
      ],
    },
    {
      title: "Calls in progress",
      text: "Calls of targets in progress, and messages that a process holds for them.",
      unit: "short",
      queries: [
        sumOf("engage_webhook_calls_in_flight", { labels: ["target"], legend: "{{target}} calls" }),
        sumOf("engage_webhook_held_messages", { labels: ["target"], legend: "{{target}} messages" }),
      ],
    },
  ],
};

/** Replicas that share an inbox report the same numbers, of which any is right. */
const inbox: Row = {
  title: "Inbox",
  panels: [
    {
      title: "Waiting messages",
      text: "Deliveries that wait or are in progress.",
      unit: "short",
      queries: [maxOf("engage_webhook_pending", { labels: ["channel", "target"] })],
    },
    {
      title: "Oldest message",
      text: "Age of the oldest waiting message; 0 when none waits.",
      unit: "s",
      queries: [maxOf("engage_webhook_oldest_pending_seconds")],
    },
    {
      title: "Dead letters",
      text: "Deliveries that were given up and not replayed.",
      unit: "short",
      queries: [maxOf("engage_webhook_dead_letters", { labels: ["channel", "target"] })],
    },
    {
      title: "Size",
      text: "Bytes that the inbox uses, and free bytes of its disk.",
      unit: "bytes",
      queries: [
        maxOf("engage_webhook_inbox_bytes", { legend: "used" }),
        {
          expression: `min (${series("engage_webhook_inbox_free_bytes")})`,
          legend: "free",
        },
      ],
    },
    {
      title: "Failures",
      text: "Operations a second that failed in the inbox.",
      unit: "cps",
      queries: [rateOf("engage_webhook_inbox_errors_total", { labels: ["operation"] })],
    },
  ],
};

export const webhooks: DashboardPlan = {
  name: "webhooks",
  title: "engage: webhooks",
  text: "Batches from the platform, their delivery to targets, the inbox between them, and clicks.",
  rows: [received, delivered, inbox, clicks],
};
