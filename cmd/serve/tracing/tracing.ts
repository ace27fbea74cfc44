import type { Logger } from "pino";
import type { Registry } from "../../../base/metrics/prom-client.ts";
import type { Tracer } from "../../../base/trace/trace.ts";
import type { Config } from "../../config/config.ts";
import { createThrottle } from "../log/throttle.ts";
import { createTracingMetrics } from "../metrics/tracing.ts";

export interface Tracing extends AsyncDisposable {
  /** Undefined where nothing is traced. */
  readonly tracer: Tracer | undefined;
}

/** Opens what sends spans to the collector. Without an endpoint it loads nothing, and there is no tracer. */
export async function openTracing(
  { enabled, endpoint, ...options }: Config["tracing"],
  { logger, registry }: { readonly logger: Logger; readonly registry: Registry },
): Promise<Tracing> {
  if (!enabled || endpoint === undefined) return { tracer: undefined, async [Symbol.asyncDispose]() {} };
  const metrics = createTracingMetrics(registry);
  const throttle = createThrottle(() => performance.now());
  const { openOpenTelemetry } = await import("./opentelemetry.ts");
  logger.info({ collector: new URL(endpoint).origin, sampler: options.sampler }, "tracing");
  return openOpenTelemetry(
    { ...options, endpoint },
    {
      exported: (spans) => metrics.ended(spans, "exported"),
      dropped: (spans) => metrics.ended(spans, "dropped"),
      failed(spans, error) {
        metrics.ended(spans, "failed");
        const line = throttle("failed");
        if (line !== undefined) logger.warn({ spans, err: error, ...line }, "spans could not be sent");
      },
    },
  );
}
