/**
 * A place in a trace. Outgoing calls pass it on in their headers, also where nothing is recorded:
 * https://www.w3.org/TR/trace-context/
 */
export interface Trace {
  /** `00-<trace id>-<span id>-<flags>` */
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
  /** Starts a span below this place; undefined where the trace is not recorded. */
  readonly startSpan?: ((name: string, options: SpanOptions) => Span) | undefined;
}

/** A recorded part of a trace. Its methods never throw. */
export interface Span extends Trace {
  readonly startSpan: (name: string, options: SpanOptions) => Span;
  set(attributes: Attributes): void;
  /** Ends the span, as failed where a failure is given. Only the first call counts. */
  end(failure?: SpanFailure): void;
}

export interface SpanFailure {
  /** A word of a closed list, such as `UNAVAILABLE` or `timeout`. */
  readonly type: string;
  readonly message?: string | undefined;
}

/**
 * server: an incoming call. client: an outgoing one. producer: messages are stored for later. consumer: stored messages
 * are processed. internal (default): anything else.
 */
export type SpanKind = "server" | "client" | "producer" | "consumer" | "internal";

/** Attributes by name. Undefined ones are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** Other traces that led to this span. */
  readonly links?: readonly Trace[];
  /** Milliseconds since 1970. Default: now. */
  readonly startMs?: number;
}

/** Starts the spans with which this process takes part in traces. Where nothing is traced, there is no tracer. */
export interface Tracer {
  /**
   * Decides whether a trace is recorded, before anything is created for it.
   * @param traceparent that of the caller; undefined: a new trace
   */
  isSampled(traceparent: string | undefined): boolean;
  /** Starts a span of a sampled trace. Without a parent it begins a new trace. */
  startSpan(name: string, options: SpanOptions & { readonly parent?: Trace | undefined }): Span;
}

/** Starts a span that continues a stored or received trace, or a new one; undefined if it is not sampled. */
export function startTrace(
  tracer: Tracer | undefined,
  parent: Trace | undefined,
  name: string,
  options: () => SpanOptions,
): Span | undefined {
  if (tracer === undefined || !tracer.isSampled(parent?.traceparent)) return undefined;
  return tracer.startSpan(name, { ...options(), parent });
}

/** Runs `work` in a span below `trace`, and passes on what its calls continue. A rejection ends the span as failed. */
export function inSpan<T>(
  trace: Trace | undefined,
  name: string,
  options: () => SpanOptions,
  work: (trace: Trace | undefined, span: Span | undefined) => Promise<T>,
): Promise<T> {
  // Most work has no span, and waits for nothing but itself.
  return trace?.startSpan === undefined
    ? work(trace, undefined)
    : record(trace.startSpan(name, options()), work);
}

async function record<T>(span: Span, work: (trace: Trace, span: Span) => Promise<T>): Promise<T> {
  try {
    return await work(span, span);
  } catch (error) {
    span.end(failureOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Describes an error by its name, without its message, which may quote data. */
export function failureOf(error: unknown): SpanFailure {
  return { type: error instanceof Error ? error.name : "_OTHER" };
}

/** The headers that pass a trace on. */
export function traceHeaders(trace: Trace | undefined): Readonly<Record<string, string>> {
  if (trace === undefined) return noHeaders;
  const { traceparent, tracestate } = trace;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

const noHeaders: Readonly<Record<string, string>> = {};

/** Returns the 32 hexadecimal digits that all spans of a trace share. */
export function traceIdOf({ traceparent }: Pick<Trace, "traceparent">): string {
  return traceparent.slice(3, 35);
}
