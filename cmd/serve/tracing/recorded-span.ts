import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Attributes as SdkAttributes,
  type Span as SdkSpan,
  type Tracer as SdkTracer,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { attribute } from "../../../base/trace/attributes.ts";
import { isRecorded } from "../../../base/trace/context.ts";
import {
  type Attributes,
  type Span,
  type SpanFailure,
  type SpanOptions,
  type Trace,
  traceIdOf,
} from "../../../base/trace/trace.ts";

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

/** Starts a span below a trace that this or another process began, or in a new trace. */
export function startRecording(
  tracer: SdkTracer,
  name: string,
  options: SpanOptions,
  parent: Trace | undefined,
): Span {
  const context =
    parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent));
  return new RecordedSpan(tracer, name, options, context);
}

class RecordedSpan implements Span {
  readonly traceparent: string;
  readonly tracestate: string | undefined;
  readonly #tracer: SdkTracer;
  readonly #span: SdkSpan;
  #hasEnded = false;

  constructor(tracer: SdkTracer, name: string, options: SpanOptions, parent: Context) {
    const { kind = "internal", attributes = {}, links = [], startMs } = options;
    this.#tracer = tracer;
    this.#span = tracer.startSpan(
      name,
      {
        kind: kinds[kind],
        attributes: defined(attributes),
        links: links.map((link) => ({ context: toSpanContext(link) })),
        ...(startMs !== undefined && { startTime: new Date(startMs) }),
      },
      parent,
    );
    const { traceId, spanId, traceFlags, traceState } = this.#span.spanContext();
    this.traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
    this.tracestate = traceState?.serialize() || undefined;
  }

  startSpan(name: string, options: SpanOptions): Span {
    return new RecordedSpan(this.#tracer, name, options, trace.setSpan(ROOT_CONTEXT, this.#span));
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(defined(attributes));
  }

  end(failure?: SpanFailure): void {
    // The SDK warns of a second end.
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (failure !== undefined) {
      const { type, message } = failure;
      this.#span.setAttribute(attribute.errorType, type);
      this.#span.setStatus({
        code: SpanStatusCode.ERROR,
        ...(message !== undefined && { message }),
      });
    }
    this.#span.end();
  }
}

function defined(attributes: Attributes): SdkAttributes {
  const result: SdkAttributes = {};
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) result[name] = value;
  return result;
}

function toSpanContext(place: Trace): SpanContext {
  const { traceparent, tracestate } = place;
  return {
    traceId: traceIdOf(place),
    spanId: traceparent.slice(36, 52),
    traceFlags: isRecorded(traceparent) ? 1 : 0,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  };
}
