import type { Registry } from "../../../base/metrics/prom-client.ts";
import { createAnalysisMetrics } from "../../../cmd/serve/metrics/analysis.ts";
import { createChannelMetrics } from "../../../cmd/serve/metrics/channel.ts";
import { createForwardCounters, registerForwardGauges } from "../../../cmd/serve/metrics/click-forward.ts";
import {
  createEventMetrics,
  registerLagGauges,
  registerQueryGauges,
} from "../../../cmd/serve/metrics/event.ts";
import { createParserMetrics } from "../../../cmd/serve/metrics/parser.ts";
import { registerStoreGauge } from "../../../cmd/serve/metrics/shared.ts";
import { createTracingMetrics } from "../../../cmd/serve/metrics/tracing.ts";
import { createWebhookMetrics } from "../../../cmd/serve/metrics/webhook.ts";
import { registerInboxGauges, registerTargetGauges } from "../../../cmd/serve/metrics/webhook-gauges.ts";
import { createMetrics } from "../../../gateway/metrics/metrics.ts";

/** A metric as it is registered. */
export interface RegisteredMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labels: readonly string[];
}

/** Registers the metrics of all services, as a server does that uses all of them. */
export function listMetrics(): readonly RegisteredMetric[] {
  const { registry } = createMetrics();
  createParserMetrics(registry);
  createEventMetrics(registry);
  createAnalysisMetrics(registry);
  createWebhookMetrics(registry).configure({ channels: [], targets: [] });
  createChannelMetrics(registry);
  createForwardCounters(registry);
  createTracingMetrics(registry);
  registerGauges(registry);
  return registry.getMetricsAsArray().map((metric) => {
    // The types of prom-client leave these members out.
    const { name, help, type = "", labelNames = [] } = metric as unknown as Registered;
    return { name, help, type, labels: labelNames };
  });
}

interface Registered {
  readonly name: string;
  readonly help: string;
  readonly type?: string;
  readonly labelNames?: readonly string[];
}

/** Registers the gauges, whose samples are never read here. */
function registerGauges(registry: Registry): void {
  const never = (): never => {
    throw new Error("the metrics of the documentation have no samples");
  };
  registerLagGauges(registry, never);
  registerQueryGauges(registry, never);
  registerStoreGauge(registry, []);
  registerInboxGauges(registry, { counts: never, health: never });
  registerTargetGauges(registry, { states: never });
  registerForwardGauges(registry, { status: never }, never);
}
