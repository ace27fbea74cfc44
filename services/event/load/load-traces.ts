import { attribute, messagingSystem, ownAttribute } from "../../../base/trace/attributes.ts";
import type { Span, Trace, Tracer } from "../../../base/trace/trace.ts";
import type { SpoolPlace } from "../../../store/events/events.ts";
import type { PendingOptions } from "../pending.ts";
import type { LoadObserver } from "./load.ts";
import { comparePlaces } from "./prepared.ts";

/** Shows in the traces of calls when their records can be queried. */
export interface LoadTraces {
  /** Begins a span in the trace of a call whose records are on disk. It ends when they are loaded. */
  appended(trace: Trace, projectId: number): Promise<void>;
  /** Ends the spans of records that are loaded, and links them to the span of the batch. */
  readonly loaded: LoadObserver["loaded"];
}

export interface LoadTracesOptions {
  readonly tracer: Tracer;
  readonly pending: PendingOptions["pending"];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface Waiting {
  readonly span: Span;
  readonly projectId: number;
  readonly end: SpoolPlace;
}

/** More spans are not begun while so many calls wait for their load. */
const maxWaiting = 1_000;

export function createLoadTraces({ tracer, pending, now }: LoadTracesOptions): LoadTraces {
  let waiting: Waiting[] = [];
  const isLoaded = ({ projectId, end }: Waiting): boolean => {
    const loadedTo = pending(projectId)?.loadedTo();
    return loadedTo !== undefined && comparePlaces(loadedTo, end) >= 0;
  };
  const takeLoaded = (): readonly Waiting[] => {
    const loaded = new Set(waiting.filter(isLoaded));
    if (loaded.size > 0) waiting = waiting.filter((one) => !loaded.has(one));
    for (const { span } of loaded) span.end();
    return [...loaded];
  };
  return {
    async appended(trace, projectId) {
      const records = pending(projectId);
      if (trace.startSpan === undefined || records === undefined) return;
      // Another replica may have loaded records without a report to this one.
      if (waiting.length >= maxWaiting) takeLoaded();
      if (waiting.length >= maxWaiting) return;
      const span = trace.startSpan("load", { kind: "consumer", attributes: attributesOf(projectId) });
      const end = await records.end().catch(() => undefined);
      if (end === undefined) {
        span.end({ type: "unavailable" });
        return;
      }
      waiting.push({ span, projectId, end });
      // The load may have ended before its place was known.
      takeLoaded();
    },
    loaded({ counts }, { loadMs }) {
      const loaded = takeLoaded();
      if (loaded.length === 0) return;
      const batch = tracer.startSpan("load batch", {
        kind: "consumer",
        links: loaded.map(({ span }) => span),
        startMs: now() - loadMs,
        attributes: { [attribute.messageCount]: loaded.length, [ownAttribute.records]: counts.records },
      });
      batch.end();
    },
  };
}

function attributesOf(projectId: number) {
  return {
    [attribute.messagingSystem]: messagingSystem,
    [attribute.messagingOperation]: "load",
    [attribute.messagingOperationType]: "process",
    [ownAttribute.project]: projectId,
  };
}
