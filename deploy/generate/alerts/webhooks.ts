import type { Alert } from "./alert.ts";
import { clickAlerts } from "./clicks.ts";

const messages = (outcome: string): string =>
  `sum by (job, channel) (rate(engage_webhook_elements_total${outcome}[15m]))`;

export const webhookAlerts: readonly Alert[] = [
  {
    name: "EngageInboxNotWritable",
    severity: "critical",
    lasts: "1m",
    expression: "engage_webhook_inbox_writable == 0",
    meaning: "Batches are refused with 503, since the inbox cannot store them.",
    actions:
      "The platform repeats them for a limited time. Free the disk (see EngageInboxDiskNearlyFull) or repair PostgreSQL; `/readyz` names the cause.",
  },
  {
    name: "EngageInboxDiskNearlyFull",
    severity: "warning",
    lasts: "5m",
    expression: "engage_webhook_inbox_free_bytes < 2e9",
    meaning:
      "The disk of the inbox has less than 2 GB left; below `webhook.inbox.minFreeBytes` batches are refused.",
    actions:
      "Free the disk, or shorten `webhook.inbox.retention`. Messages that wait for a target that is down take space: see EngageTargetDown.",
  },
  {
    name: "EngageInboxFails",
    severity: "critical",
    lasts: "5m",
    expression: "sum by (job, operation) (rate(engage_webhook_inbox_errors_total[10m])) > 0",
    meaning: "Operations of the inbox fail.",
    actions:
      "The log has the error: see the disk of the inbox, or PostgreSQL. Accepted messages are safe and wait.",
  },
  {
    name: "EngageSignaturesWrong",
    severity: "warning",
    lasts: "5m",
    expression:
      'sum by (job, channel) (rate(engage_webhook_refused_batches_total{reason="unauthenticated"}[10m])) > 0',
    meaning: "Batches are refused, since their signatures do not match.",
    actions:
      "The secret differs, or a proxy changes the body: the response says which cause is likely. During a rotation, keep both secrets in `webhook.channels.NAME.secrets`. Requests of strangers look the same.",
  },
  {
    name: "EngageMessagesRefused",
    severity: "warning",
    lasts: "15m",
    expression: `${messages('{outcome="failed"}')} / ${messages("")} > 0.05`,
    meaning: "More than 5 % of the messages of a channel are refused.",
    actions:
      "The reply names each refused message with its reason. See `webhook.channels.NAME.pushId`: which push ids it accepts, and what checks them.",
  },
  {
    name: "EngagePushIdChecksFail",
    severity: "warning",
    lasts: "5m",
    expression: "sum by (job, channel, what) (rate(engage_webhook_failed_checks_total[10m])) > 0",
    meaning: "The checker of push ids, or the targets of a sync channel, fail.",
    actions:
      "The label `what` says which; the log has the error. Batches are accepted without the check, so that messages to unusable push ids are delivered too, and messages of sync channels are delivered later.",
  },
  {
    name: "EngageDeliveriesDead",
    severity: "critical",
    lasts: "0m",
    expression: 'sum by (job, target) (increase(engage_webhook_deliveries_total{outcome="dead"}[15m])) > 0',
    meaning: "Messages were given up, and no longer wait for their target.",
    actions:
      "`engage webhook dead-letters` shows them with the reason. When the cause is gone, `engage webhook replay` delivers them again.",
  },
  {
    name: "EngageMessagesWait",
    severity: "warning",
    lasts: "5m",
    expression: "engage_webhook_oldest_pending_seconds > 600",
    meaning: "A message has waited for longer than ten minutes.",
    actions:
      "`engage webhook stats` shows which target it waits for. A `pull` target waits for its consumer; others are down (EngageTargetDown), slow (EngageTargetSlow) or limited by `maxPerSecond`.",
  },
  {
    name: "EngageTargetDown",
    severity: "critical",
    lasts: "5m",
    expression: 'max by (job, target) (max_over_time(engage_webhook_breaker_state{state="open"}[5m])) == 1',
    meaning: "A target is considered down, so that its messages wait.",
    actions:
      "`engage webhook deliveries --target NAME` shows the last attempts with their errors. Delivery continues by itself when the target responds; after `retry.maxAttempts` or `retry.maxAgeMs` messages are given up.",
  },
  {
    name: "EngageTargetSlow",
    severity: "warning",
    lasts: "10m",
    expression:
      "histogram_quantile(0.95, sum by (job, target, le) (rate(engage_webhook_target_call_seconds_bucket[10m]))) > 5",
    meaning: "One call in twenty of a target takes longer than five seconds.",
    actions:
      "A [trace](../traces.md) continues in a target that supports traces. More calls at once (`webhook.targets.NAME.concurrency`) help where each takes long.",
  },
  {
    name: "EngageLeasesLost",
    severity: "warning",
    lasts: "5m",
    expression: "sum by (job, target) (rate(engage_webhook_lost_leases_total[15m])) > 0",
    meaning: "Another process took messages over, since this one was too slow: they may be delivered twice.",
    actions:
      "The process stood still for longer than a lease, or lost PostgreSQL: see EngageEventLoopLate and EngageStoreDown. Targets recognise repeated messages by their delivery id.",
  },
  ...clickAlerts,
];
