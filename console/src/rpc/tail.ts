import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type Fault, faultOf } from "./fault.ts";
import { followHalts, liveStatus, presentHalts } from "./live-status.ts";
import { pause } from "./pause.ts";
import { backoffMs, haltOf, type LiveState } from "./schedule.ts";

/** One message of a stream: what it adds, and how much before it was skipped. */
export interface TailPart<Row> {
  readonly rows: readonly Row[];
  readonly skipped: number;
}

export interface Tail<Row> {
  /** The latest rows, newest first. */
  readonly rows: ReadonlySignal<readonly Row[]>;
  readonly skipped: ReadonlySignal<number>;
  readonly fault: ReadonlySignal<Fault | undefined>;
  clear(): void;
}

/** Older rows are dropped, since a page of thousands would be slow. */
const maxRows = 200;
/** A stream does not query the stores, so it is opened again sooner than a view loads. */
const backoff = { firstMs: 1_000, maxMs: 30_000 };

type OpenStream<Row> = (signal: AbortSignal) => AsyncIterable<TailPart<Row>>;

/**
 * Follows a stream. It stops while the user pauses or the page is hidden. After a failure it opens the stream again,
 * with growing pauses. It starts again when `key` changes, which identifies the stream.
 */
export function useTail<Row>(key: string, open: OpenStream<Row>): Tail<Row> {
  // The key stands for what the function opens.
  const tail = useMemo(() => createTail(open), [key]);
  useEffect(() => tail.start(), [tail]);
  return tail;
}

function createTail<Row>(open: OpenStream<Row>): Tail<Row> & { start(): () => void } {
  const rows = signal<readonly Row[]>([]);
  const skipped = signal(0);
  const fault = signal<Fault | undefined>(undefined);
  const take = (part: TailPart<Row>): void => {
    fault.value = undefined;
    skipped.value += part.skipped;
    if (part.rows.length > 0) rows.value = [...part.rows.toReversed(), ...rows.peek()].slice(0, maxRows);
    report("live");
  };
  return {
    rows,
    skipped,
    fault,
    clear() {
      rows.value = [];
      skipped.value = 0;
    },
    start() {
      let end = new AbortController();
      const change = (): void => {
        end.abort();
        end = new AbortController();
        const halt = haltOf(presentHalts());
        if (halt === undefined) void follow(open, end.signal, take, fault);
        else report(halt);
      };
      const stop = followHalts(change);
      return () => {
        end.abort();
        stop();
      };
    },
  };
}

async function follow<Row>(
  open: OpenStream<Row>,
  end: AbortSignal,
  take: (part: TailPart<Row>) => void,
  fault: Signal<Fault | undefined>,
): Promise<void> {
  let failures = 0;
  report("connecting");
  while (!end.aborted) {
    try {
      for await (const part of open(end)) {
        if (end.aborted) return;
        failures = 0;
        take(part);
      }
    } catch (error) {
      if (end.aborted) return;
      fault.value = faultOf(error);
    }
    failures++;
    const pauseMs = backoffMs(failures, backoff);
    report("lost", Date.now() + pauseMs);
    await pause(pauseMs, end);
  }
}

function report(state: LiveState, nextMs?: number): void {
  const updatedMs = state === "live" ? Date.now() : liveStatus.peek()?.updatedMs;
  liveStatus.value = { state, updatedMs, nextMs };
}
