import { createDelivery, type DeliveryOptions } from "./deliver.ts";
import { CursorFault, type ForwardCursor } from "./forward-cursor.ts";
import { type BatchLimits, findBoundary, readBatch } from "./read-batch.ts";
import type { RecordPlace, RecordReader } from "./records.ts";

export interface ForwarderOptions extends Omit<DeliveryOptions, "stop" | "cut"> {
  readonly reader: RecordReader;
  readonly cursor: ForwardCursor;
  readonly limits: BatchLimits;
  /** Whether completely forwarded files are deleted. */
  readonly deleteForwarded: boolean;
  /** The time that a call in progress has to end when the forwarder is closed, in milliseconds. */
  readonly stopMs: () => number;
}

export interface Forwarder extends AsyncDisposable {
  status(): Promise<ForwardStatus>;
}

export interface ForwardStatus {
  readonly waitingBytes: number;
  /** The first waiting record; undefined when none waits. */
  readonly oldest: Uint8Array | undefined;
}

/**
 * Forwards the records of a spool in their order, each at least once: the position advances only when
 * the receiver has accepted the records, or they are dead letters. No record is given up because the
 * receiver is unavailable.
 */
export function openForwarder(options: ForwarderOptions): Forwarder {
  const { reader, cursor, observer, delays } = options;
  const stop = new AbortController();
  const cut = new AbortController();
  const deliver = createDelivery({ ...options, stop: stop.signal, cut: cut.signal });
  let position: RecordPlace | undefined;
  let oldest: Uint8Array | undefined;
  let firstKept = 0;
  let wakeUp = (): void => {};

  /**
   * Saves the position. Without a saved position the records would be sent again, so files are deleted
   * only after it is saved.
   */
  async function moveTo(next: RecordPlace): Promise<void> {
    position = next;
    try {
      await cursor.save(next);
      await deleteBefore(next.number);
    } catch (error) {
      observer.failed(error);
    }
  }
  /** Deletes the files before one. */
  async function deleteBefore(number: number): Promise<void> {
    if (!options.deleteForwarded || number <= firstKept) return;
    await reader.release({ number, offset: 0 });
    firstKept = number;
  }
  async function start(end: RecordPlace): Promise<RecordPlace> {
    const found = await findStart(options, end);
    await deleteBefore(found.number);
    return found;
  }
  async function step(): Promise<void> {
    const grown = reader.grown();
    const end = await reader.end();
    position ??= await start(end);
    const { records, next } = await readBatch(reader, position, end, options.limits);
    oldest = records[0]?.bytes;
    if (records.length > 0) {
      await deliver(records, (last) => moveTo(last.next));
    } else if (next !== position) {
      await moveTo(next);
    } else if (!stop.signal.aborted) {
      await new Promise<void>((resolve) => {
        wakeUp = resolve;
        void grown.then(resolve);
      });
    }
  }
  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await step();
      } catch (error) {
        observer.failed(error);
        await options.wait(delays.maxDelayMs, stop.signal);
      }
    }
  }
  const running = run();
  return {
    async status() {
      if (position === undefined) return { waitingBytes: 0, oldest };
      return { waitingBytes: await reader.bytesAfter(position), oldest };
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      wakeUp();
      const timer = setTimeout(() => cut.abort(), options.stopMs());
      await running;
      clearTimeout(timer);
    },
  };
}

/** Returns the position to continue at; in doubt rather too early than too late. */
async function findStart(
  { reader, cursor, observer: { failed } }: ForwarderOptions,
  end: RecordPlace,
): Promise<RecordPlace> {
  const saved = await cursor.load().catch((error: unknown) => {
    if (!(error instanceof CursorFault)) throw error;
    failed(error);
    return undefined;
  });
  if (saved === undefined) return await reader.start();
  const { number } = saved;
  if (number > end.number) {
    failed(new CursorFault(`file ${number} does not exist, so the whole spool is sent again`));
    return await reader.start();
  }
  const found = await findBoundary(reader, saved);
  if (found !== undefined) return found;
  failed(new CursorFault(`file ${number} has changed, so all of it is sent again`));
  return { number, offset: 0 };
}
