import { randomBytes, randomUUID } from "node:crypto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { untilAborted } from "../../../base/async/abort.ts";
import { packageVersion } from "../../../base/package/root.ts";
import { createSampler } from "../../../base/trace/sampler.ts";
import type { Tracer } from "../../../base/trace/trace.ts";
import type { Config } from "../../config/config.ts";
import { createCountedExport, type ExportObserver } from "./counted-export.ts";
import { startRecording } from "./recorded-span.ts";

export type OpenTelemetryOptions = Omit<Config["tracing"], "enabled" | "endpoint"> & {
  readonly endpoint: string;
};

export interface OpenTelemetry extends AsyncDisposable {
  readonly tracer: Tracer;
}

/** A collector that does not reply delays the stop of the process by no more than this. */
const maxCloseMs = 2_000;

/**
 * Opens the SDK of OpenTelemetry: spans that have ended wait in a bounded queue and are sent in the background, so that
 * a collector that is slow or unavailable delays nothing. What is sampled is decided here, before the SDK is called.
 */
export function openOpenTelemetry(options: OpenTelemetryOptions, observer: ExportObserver): OpenTelemetry {
  const { endpoint, headers, timeoutMs, delayMs, maxQueue, maxBatch } = options;
  const sampler = createSampler(options.sampler, options.ratio, Math.random);
  const exporter = new OTLPTraceExporter({ url: endpoint, headers, timeoutMillis: timeoutMs });
  const counted = createCountedExport(exporter, maxQueue, observer);
  const processor = new BatchSpanProcessor({
    exporter: counted.exporter,
    maxQueueSize: maxQueue,
    maxExportBatchSize: Math.min(maxBatch, maxQueue),
    scheduledDelayMillis: delayMs,
    exportTimeoutMillis: timeoutMs,
  });
  const provider = new TracerProvider({
    sampler: new AlwaysOnSampler(),
    resource: defaultResource().merge(
      resourceFromAttributes({
        "service.version": packageVersion(),
        "service.instance.id": randomUUID(),
        ...options.attributes,
        "service.name": options.service,
      }),
    ),
    idGenerator: {
      generateTraceId: () => sampler.newTraceId(randomHex),
      generateSpanId: () => randomHex(16),
    },
    spanProcessors: [counted.limit(processor)],
  });
  const sdk = provider.getTracer("engage", packageVersion());
  const tracer: Tracer = {
    isSampled: sampler.isSampled,
    startSpan: (name, { parent, ...rest }) => startRecording(sdk, name, rest, parent),
  };
  return {
    tracer,
    async [Symbol.asyncDispose]() {
      // The observer has what could not be sent.
      await Promise.allSettled([untilAborted(provider.shutdown(), AbortSignal.timeout(maxCloseMs))]);
    },
  };
}

function randomHex(digits: number): string {
  return randomBytes(Math.ceil(digits / 2))
    .toString("hex")
    .slice(0, digits);
}
