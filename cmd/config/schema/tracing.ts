import { z } from "zod";
import { maxTimerMs } from "../../../base/async/clock.ts";
import { samplerNames } from "../../../base/trace/sampler.ts";

const endpoint = () =>
  z.string().superRefine((text, context) => {
    const message = faultOf(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

function faultOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return 'must be a URL such as "http://127.0.0.1:4318/v1/traces"';
  }
  // The value may be a password, so that it is not quoted.
  return url.username + url.password === "" ? undefined : "must not have a user name, use tracing.headers";
}

/** The section `tracing`. */
export const tracingSchema = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe(
      "false: nothing is traced, although an endpoint is set. OTEL_SDK_DISABLED=true and " +
        "OTEL_TRACES_EXPORTER=none set it to false.",
    ),
  endpoint: endpoint()
    .optional()
    .meta({
      description:
        "URL of the collector that gets spans, as OTLP over HTTP with protobuf. Default: none, so that nothing " +
        "is traced and no library for it is loaded. OTEL_EXPORTER_OTLP_TRACES_ENDPOINT sets it, and " +
        "OTEL_EXPORTER_OTLP_ENDPOINT sets it to a path below.",
      examples: ["http://127.0.0.1:4318/v1/traces"],
    }),
  headers: z
    .record(
      z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "must be the name of a header"),
      z.string().min(1).meta({ secret: true }),
    )
    .default({})
    .meta({
      description:
        "Headers of requests to the collector. OTEL_EXPORTER_OTLP_TRACES_HEADERS and " +
        "OTEL_EXPORTER_OTLP_HEADERS set them.",
      examples: [{ authorization: { file: "collector-token.txt" } }],
    }),
  sampler: z
    .enum(samplerNames)
    .default("parentbased_always_on")
    .describe(
      "Which calls are traced. always_on: all. always_off: none. traceidratio: the share in tracing.ratio. " +
        "Those that begin with parentbased_ follow the caller's decision where it sends a traceparent, and are " +
        "for callers that are trusted. OTEL_TRACES_SAMPLER sets it.",
    ),
  ratio: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe(
      "Share of traces that traceidratio and parentbased_traceidratio record. OTEL_TRACES_SAMPLER_ARG sets it.",
    ),
  service: z
    .string()
    .min(1)
    .max(255)
    .default("engage")
    .describe("Name of this service in traces, service.name. OTEL_SERVICE_NAME sets it."),
  attributes: z
    .record(z.string().min(1).max(255), z.string().max(4_096))
    .default({})
    .meta({
      description: "Attributes of this process in traces. OTEL_RESOURCE_ATTRIBUTES sets them.",
      examples: [{ "deployment.environment.name": "production" }],
    }),
  timeoutMs: z
    .int()
    .min(1)
    .max(maxTimerMs)
    .default(10_000)
    .describe(
      "Time for one request to the collector with its repetitions, in ms. OTEL_EXPORTER_OTLP_TRACES_TIMEOUT and " +
        "OTEL_EXPORTER_OTLP_TIMEOUT set it.",
    ),
  delayMs: z
    .int()
    .min(1)
    .max(maxTimerMs)
    .default(5_000)
    .describe("Longest time for which spans are gathered, in ms. OTEL_BSP_SCHEDULE_DELAY sets it."),
  maxQueue: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(2_048)
    .describe(
      "Spans that wait for the collector; more are dropped and counted. OTEL_BSP_MAX_QUEUE_SIZE sets it.",
    ),
  maxBatch: z
    .int()
    .min(1)
    .max(100_000)
    .default(512)
    .describe("Spans of one request. OTEL_BSP_MAX_EXPORT_BATCH_SIZE sets it."),
});
