import { Histogram, type Registry } from "prom-client";
import type { DeliveryObserver } from "../../../services/webhook/delivery/observer.ts";
import type { ReceiveObserver } from "../../../services/webhook/observer.ts";
import type { RefusalKind } from "../../../services/webhook/receive/refusal.ts";
import { createSums, type Sums } from "./sums.ts";

export interface WebhookMetrics {
  readonly receive: ReceiveObserver;
  readonly delivery: DeliveryObserver;
  clickKept(): void;
  clickFailed(): void;
  pruneFailed(): void;
}

interface WebhookNames {
  readonly channels: readonly string[];
  readonly targets: readonly string[];
}

const refusals: readonly RefusalKind[] = [
  ...(["unknown_channel", "unauthenticated", "bad_body", "too_large", "conflict"] as const),
  "unavailable",
];
/** Stands for all channels that are not configured; no channel can have this name. */
const strange = "(unknown)";

/** Registers what is counted of webhooks. Labels come from closed lists and the configuration. */
export function createWebhookMetrics(registry: Registry, names: WebhookNames): WebhookMetrics {
  const sums = (name: string, help: string, ...labels: readonly string[]): Sums =>
    createSums(registry, { name: `engage_webhook_${name}`, help, labels });
  const inboxErrors = sums("inbox_errors_total", "Operations that the inbox failed", "operation");
  const clicks = sums("clicks_total", "Clicks by whether they were kept", "outcome");
  for (const outcome of ["kept", "failed"]) clicks.add(0, outcome);
  for (const operation of ["lease", "extend", "settle", "prune"]) inboxErrors.add(0, operation);
  return {
    receive: countReceived(sums, names.channels),
    delivery: countDelivered(sums, names.targets, inboxErrors, callDurations(registry)),
    clickKept: () => clicks.add(1, "kept"),
    clickFailed: () => clicks.add(1, "failed"),
    pruneFailed: () => inboxErrors.add(1, "prune"),
  };
}

type MakeSums = (name: string, help: string, ...labels: readonly string[]) => Sums;

function countReceived(sums: MakeSums, channels: readonly string[]): ReceiveObserver {
  const batches = sums("batches_total", "Batches stored, and those known from before", "channel", "outcome");
  const refused = sums("refused_batches_total", "Batches of which nothing was accepted", "channel", "reason");
  const elements = sums("elements_total", "Messages of stored batches", "channel", "outcome");
  const warnings = sums("warnings_total", "Oddities of accepted batches", "channel", "kind");
  const checks = sums(
    "failed_checks_total",
    "Push-id checks and sync deliveries that failed",
    "channel",
    "what",
  );
  const known = new Set(channels);
  for (const channel of channels) {
    for (const outcome of ["accepted", "repeated"]) batches.add(0, channel, outcome);
    for (const outcome of ["accepted", "failed"]) elements.add(0, channel, outcome);
    for (const reason of refusals.slice(1)) refused.add(0, channel, reason);
  }
  refused.add(0, strange, "unknown_channel");
  return {
    accepted(channel, { accepted, failed }) {
      batches.add(1, channel, "accepted");
      elements.add(accepted, channel, "accepted");
      elements.add(failed, channel, "failed");
    },
    repeated: (channel) => batches.add(1, channel, "repeated"),
    refused: (channel, { kind }) => refused.add(1, known.has(channel) ? channel : strange, kind),
    warned(channel, { duplicateKeys, numbersForText, oddReceiptValues, requestIds }) {
      const kinds = {
        duplicate_keys: duplicateKeys.count,
        numbers_for_text: numbersForText,
        odd_receipt_values: oddReceiptValues,
        several_request_ids: requestIds > 1 ? 1 : 0,
      };
      for (const [kind, count] of Object.entries(kinds)) if (count > 0) warnings.add(count, channel, kind);
    },
    failed: (channel, what) => checks.add(1, channel, what),
  };
}

function countDelivered(
  sums: MakeSums,
  targets: readonly string[],
  inboxErrors: Sums,
  durations: Histogram<"target">,
): DeliveryObserver {
  const deliveries = sums("deliveries_total", "Messages by the outcome of an attempt", "target", "outcome");
  const opened = sums("breaker_opened_total", "Times that a target was taken for down", "target");
  const lost = sums("lost_leases_total", "Messages that another process took over", "target");
  for (const target of targets) {
    for (const outcome of ["done", "retry", "dead"]) deliveries.add(0, target, outcome);
    opened.add(0, target);
  }
  return {
    called(target, { durationMs, done, retry, dead }) {
      deliveries.add(done, target, "done");
      deliveries.add(retry, target, "retry");
      deliveries.add(dead, target, "dead");
      durations.observe({ target }, durationMs / 1_000);
    },
    breakerChanged: (target, state) => opened.add(state === "open" ? 1 : 0, target),
    leaseLost: (target, messages) => lost.add(messages, target),
    inboxFailed: (_target, operation) => inboxErrors.add(1, operation),
  };
}

function callDurations(registry: Registry): Histogram<"target"> {
  return new Histogram({
    name: "engage_webhook_target_call_seconds",
    help: "Duration of calls of targets",
    labelNames: ["target"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
}
