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
  readonly end: SpoolPlace;
}

/** More spans are not begun while so many calls wait for their load. */
const maxWaiting = 1_000;

export function createLoadTraces({ tracer, pending, now }: LoadTracesOptions): LoadTraces {
  const queues = createQueues(pending);
  return {
    async appended(trace, projectId) {
      const records = pending(projectId);
      if (trace.startSpan === undefined || records === undefined) return;
      // Another replica may have loaded records without a report to this one.
      if (queues.size() >= maxWaiting) queues.takeLoaded();
      if (queues.size() >= maxWaiting) return;
      const span = trace.startSpan("load", { kind: "consumer", attributes: attributesOf(projectId) });
      const end = await records.end().catch(() => undefined);
      if (end === undefined) {
        span.end({ type: "unavailable" });
        return;
      }
      queues.add(projectId, { span, end });
      // The load may have ended before its place was known.
      queues.takeLoadedOf(projectId);
    },
    loaded({ counts }, { loadMs }) {
      const loaded = queues.takeLoaded();
      if (loaded.length === 0) return;
      const batch = tracer.startSpan("load batch", {
        kind: "consumer",
        links: loaded,
        startMs: now() - loadMs,
        attributes: { [attribute.messageCount]: loaded.length, [ownAttribute.records]: counts.records },
      });
      batch.end();
    },
  };
}

/** The spans that wait, by project, in the order in which their records are loaded. */
interface Queues {
  size(): number;
  add(projectId: number, waiting: Waiting): void;
  /** Ends the spans of a project whose records are loaded, and returns them. */
  takeLoadedOf(projectId: number): readonly Span[];
  /** Ends the spans of all projects whose records are loaded, and returns them. */
  takeLoaded(): readonly Span[];
}

function createQueues(pending: PendingOptions["pending"]): Queues {
  const queues = new Map<number, Waiting[]>();
  let size = 0;
  /** Removes spans from the beginning of a queue. */
  const take = (projectId: number, queue: Waiting[], count: number): readonly Span[] => {
    const spans = queue.splice(0, count).map(({ span }) => span);
    size -= spans.length;
    if (queue.length === 0) queues.delete(projectId);
    return spans;
  };
  const takeLoadedOf: Queues["takeLoadedOf"] = (projectId) => {
    const queue = queues.get(projectId);
    if (queue === undefined) return [];
    const records = pending(projectId);
    if (records === undefined) {
      // The project is gone, and nothing reports its loads.
      for (const span of take(projectId, queue, queue.length)) span.end({ type: "unavailable" });
      return [];
    }
    const loaded = take(projectId, queue, countLoaded(queue, records.loadedTo()));
    for (const span of loaded) span.end();
    return loaded;
  };
  return {
    size: () => size,
    add(projectId, waiting) {
      const queue = queues.get(projectId) ?? [];
      queues.set(projectId, queue);
      // The places of concurrent calls may become known in another order.
      const before = queue.findLastIndex(({ end }) => comparePlaces(end, waiting.end) <= 0);
      queue.splice(before + 1, 0, waiting);
      size++;
    },
    takeLoadedOf,
    takeLoaded: () => [...queues.keys()].flatMap(takeLoadedOf),
  };
}

/** Returns how many of a queue are loaded, reading those and one more. */
function countLoaded(queue: readonly Waiting[], loadedTo: SpoolPlace | undefined): number {
  if (loadedTo === undefined) return 0;
  const first = queue.findIndex(({ end }) => comparePlaces(end, loadedTo) > 0);
  return first === -1 ? queue.length : first;
}

function attributesOf(projectId: number) {
  return {
    [attribute.messagingSystem]: messagingSystem,
    [attribute.messagingOperation]: "load",
    [attribute.messagingOperationType]: "process",
    [ownAttribute.project]: projectId,
  };
}
