import type {
  Attributes,
  Span,
  SpanFailure,
  SpanKind,
  SpanOptions,
  Trace,
  Tracer,
} from "../../../base/trace/trace.ts";

export interface NotedSpan {
  readonly name: string;
  readonly kind: SpanKind | undefined;
  /** The `traceparent` above it. */
  readonly parent: string | undefined;
  readonly links: readonly string[];
  readonly attributes: Attributes;
  readonly failure: SpanFailure | undefined;
  readonly hasEnded: boolean;
  readonly span: Span;
}

/** A tracer that notes its spans, in the order of their beginning. */
export function createNotingTracer(isSampled: Tracer["isSampled"] = () => true): {
  readonly tracer: Tracer;
  readonly spans: readonly NotedSpan[];
} {
  const spans: { -readonly [K in keyof NotedSpan]: NotedSpan[K] }[] = [];
  const start = (name: string, options: SpanOptions, parent: Trace | undefined): Span => {
    const traceId = parent?.traceparent.slice(3, 35) ?? String(spans.length + 1).padStart(32, "0");
    const span: Span = {
      traceparent: `00-${traceId}-${String(spans.length + 1).padStart(16, "0")}-01`,
      tracestate: parent?.tracestate,
      startSpan: (child, childOptions) => start(child, childOptions, span),
      set(attributes) {
        noted.attributes = { ...noted.attributes, ...attributes };
      },
      end(failure) {
        if (noted.hasEnded) return;
        noted.hasEnded = true;
        noted.failure = failure;
      },
    };
    const { kind, attributes = {}, links = [] } = options;
    const noted = {
      name,
      kind,
      parent: parent?.traceparent,
      links: links.map(({ traceparent }) => traceparent),
      attributes,
      failure: undefined as SpanFailure | undefined,
      hasEnded: false,
      span,
    };
    spans.push(noted);
    return span;
  };
  return {
    tracer: { isSampled, startSpan: (name, { parent, ...options }) => start(name, options, parent) },
    spans,
  };
}
