import { Histogram, type Registry } from "../../../base/metrics/prom-client.ts";
import type { Attempted, DeliveryObserver } from "../../../services/channel/delivery/observer.ts";
import type { ScheduleObserver } from "../../../services/channel/schedule/scheduler.ts";
import { counterFactory } from "./metrics.ts";

export interface ChannelMetrics {
  readonly delivery: DeliveryObserver;
  readonly schedule: ScheduleObserver;
  pruneFailed(): void;
}

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Registers the metrics of channels. The values of labels come from closed lists, since there may be many channels. */
export function createChannelMetrics(registry: Registry): ChannelMetrics {
  const counter = counterFactory(registry);
  const requests = counter(
    "engage_channel_requests_total",
    "Requests to receivers by outcome",
    "outcome",
    "reason",
  );
  const messages = counter(
    "engage_channel_messages_total",
    "Messages in these requests",
    "outcome",
    "reason",
  );
  const warnings = counter(
    "engage_channel_warnings_total",
    "Responses of receivers that were accepted with a warning",
  );
  const runs = counter("engage_channel_runs_total", "Runs by the outcome of their preparation", "outcome");
  const times = counter("engage_channel_scheduled_times_total", "Scheduled times by outcome", "outcome");
  const errors = counter("engage_channel_errors_total", "Failures of the store and of audiences", "what");
  const seconds = new Histogram({
    name: "engage_channel_request_seconds",
    help: "Duration of requests to receivers",
    buckets,
    registers: [registry],
  });
  for (const outcome of ["begun", "missed", "refused"]) times.add(0, outcome);
  for (const outcome of ["prepared", "refused"]) runs.add(0, outcome);
  return {
    delivery: {
      failed: () => errors.add(1, "delivery"),
      attempted({ outcome, reason = "", messages: count, warnings: found, durationMs }: Attempted) {
        requests.add(1, outcome, reason);
        messages.add(count, outcome, reason);
        warnings.add(found.length === 0 ? 0 : 1);
        seconds.observe(durationMs / 1_000);
      },
      prepared: () => runs.add(1, "prepared"),
      refused: () => runs.add(1, "refused"),
    },
    schedule: {
      taken: (_taskId, outcome) => times.add(1, outcome),
      refused: () => times.add(1, "refused"),
      failed: () => errors.add(1, "schedule"),
    },
    pruneFailed: () => errors.add(1, "prune"),
  };
}
