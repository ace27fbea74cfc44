import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";

/** Receives what becomes of spans. The methods must not throw. */
export interface ExportObserver {
  exported(spans: number): void;
  failed(spans: number, error: unknown): void;
  /** The queue was full. */
  dropped(spans: number): void;
}

export interface CountedExport {
  readonly exporter: SpanExporter;
  /** Drops spans while the queue of `processor`, which gives its batches to `exporter`, is full. */
  limit(processor: SpanProcessor): SpanProcessor;
}

/** `ExportResultCode.SUCCESS` of a package that only this value would need. */
const success = 0;

/** Counts the spans on their way from the queue of a processor to the collector, which the SDK does not report. */
export function createCountedExport(
  exporter: SpanExporter,
  maxQueue: number,
  observer: ExportObserver,
): CountedExport {
  let waiting = 0;
  return {
    exporter: {
      export(spans, done) {
        waiting -= spans.length;
        exporter.export(spans, (result) => {
          if (result.code === success) observer.exported(spans.length);
          else observer.failed(spans.length, result.error);
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
    },
    limit: (processor) => ({
      onStart: (span, context) => processor.onStart(span, context),
      onEnd(span: ReadableSpan) {
        if (waiting >= maxQueue) {
          observer.dropped(1);
          return;
        }
        waiting++;
        processor.onEnd(span);
      },
      forceFlush: () => processor.forceFlush(),
      shutdown: () => processor.shutdown(),
    }),
  };
}
