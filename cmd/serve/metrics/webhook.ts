import { Histogram, type Registry } from "../../../base/metrics/prom-client.ts";
import type { DeliveryObserver } from "../../../services/webhook/delivery/observer.ts";
import type { ReceiveObserver } from "../../../services/webhook/observer.ts";
import type { RefusalKind } from "../../../services/webhook/receive/refusal.ts";
import { type Counter, type CreateCounter, counterFactory } from "./metrics.ts";

export interface WebhookMetrics {
  readonly receive: ReceiveObserver;
  readonly delivery: DeliveryObserver;
  clickStored(): void;
  clickFailed(): void;
  pruneFailed(): void;
  /** Counts by these names too, from zero those that are new. */
  configure(names: WebhookNames): void;
}

export interface WebhookNames {
  readonly channels: readonly string[];
  readonly targets: readonly string[];
}

const refusals: readonly RefusalKind[] = [
  "unknown_channel",
  "unauthenticated",
  "bad_body",
  "too_large",
  "conflict",
  "unavailable",
];
/** The label of all channels that are not configured. No channel can have this name. */
const unknownChannel = "(unknown)";

/** Registers the metrics of webhooks. The values of labels come from closed lists and the configuration. */
export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const counter = counterFactory(registry);
  const inboxErrors = counter(
    "engage_webhook_inbox_errors_total",
    "Operations that failed in the inbox",
    "operation",
  );
  const clicks = counter("engage_webhook_clicks_total", "Clicks by whether they were kept", "outcome");
  for (const outcome of ["kept", "failed"]) clicks.add(0, outcome);
  for (const operation of ["lease", "extend", "settle", "prune"]) inboxErrors.add(0, operation);
  const { configureChannels, ...receive } = countReceived(counter);
  const { configureTargets, ...delivery } = countDelivered(counter, inboxErrors, callDurations(registry));
  return {
    receive,
    delivery,
    configure({ channels, targets }) {
      configureChannels(channels);
      configureTargets(targets);
    },
    clickStored: () => clicks.add(1, "kept"),
    clickFailed: () => clicks.add(1, "failed"),
    pruneFailed: () => inboxErrors.add(1, "prune"),
  };
}

function countReceived(
  counter: CreateCounter,
): ReceiveObserver & { configureChannels(channels: readonly string[]): void } {
  const batches = counter(
    "engage_webhook_batches_total",
    "Batches that were stored, and repeated ones",
    "channel",
    "outcome",
  );
  const refused = counter(
    "engage_webhook_refused_batches_total",
    "Batches that were refused as a whole",
    "channel",
    "reason",
  );
  const elements = counter(
    "engage_webhook_elements_total",
    "Messages of stored batches",
    "channel",
    "outcome",
  );
  const warnings = counter(
    "engage_webhook_warnings_total",
    "Warnings about accepted batches",
    "channel",
    "kind",
  );
  const checks = counter(
    "engage_webhook_failed_checks_total",
    "Push-id checks and sync deliveries that failed",
    "channel",
    "what",
  );
  let known: ReadonlySet<string> = new Set();
  return {
    configureChannels(channels) {
      known = new Set(channels);
      for (const channel of channels) {
        for (const outcome of ["accepted", "repeated"]) batches.add(0, channel, outcome);
        for (const outcome of ["accepted", "failed"]) elements.add(0, channel, outcome);
        for (const reason of refusals.slice(1)) refused.add(0, channel, reason);
      }
      refused.add(0, unknownChannel, "unknown_channel");
    },
    accepted(channel, { accepted, failed }) {
      batches.add(1, channel, "accepted");
      elements.add(accepted, channel, "accepted");
      elements.add(failed, channel, "failed");
    },
    repeated: (channel) => batches.add(1, channel, "repeated"),
    refused: (channel, { kind }) => refused.add(1, known.has(channel) ? channel : unknownChannel, kind),
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
  counter: CreateCounter,
  inboxErrors: Counter,
  durations: Histogram<"target">,
): DeliveryObserver & { configureTargets(targets: readonly string[]): void } {
  const deliveries = counter(
    "engage_webhook_deliveries_total",
    "Messages by the outcome of an attempt",
    "target",
    "outcome",
  );
  const opened = counter(
    "engage_webhook_breaker_opened_total",
    "Times that a target was considered down",
    "target",
  );
  const lost = counter(
    "engage_webhook_lost_leases_total",
    "Messages that another process took over",
    "target",
  );
  return {
    configureTargets(targets) {
      for (const target of targets) {
        for (const outcome of ["done", "retry", "dead"]) deliveries.add(0, target, outcome);
        opened.add(0, target);
      }
    },
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
