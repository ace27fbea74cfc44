import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createDelivery, type DeliveryOptions } from "./deliver.ts";
import { CursorFault, loadCursor, saveCursor } from "./forward-cursor.ts";
import { type BatchLimits, isBoundary, readBatch } from "./read-batch.ts";
import type { RecordSpool } from "./record-spool.ts";
import type { RecordPlace } from "./records.ts";
import { bytesAfter, listSegments, segmentName } from "./segment-files.ts";

export interface ForwarderOptions extends Omit<DeliveryOptions, "stop" | "cut"> {
  /** The spool's folder, in which the position is saved as `forward.json`. */
  readonly folder: string;
  readonly spool: Pick<RecordSpool, "end" | "grown">;
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
  const { folder, spool, observer, delays } = options;
  const stop = new AbortController();
  const cut = new AbortController();
  const deliver = createDelivery({ ...options, stop: stop.signal, cut: cut.signal });
  let position: RecordPlace | undefined;
  let oldest: Uint8Array | undefined;
  let wakeUp = (): void => {};

  /**
   * Saves the position. Without a saved position the records would be sent again, so files are deleted
   * only after it is saved.
   */
  async function moveTo(next: RecordPlace): Promise<void> {
    position = next;
    try {
      await saveCursor(folder, next);
      if (next.offset === 0 && options.deleteForwarded) await deleteBefore(folder, next.number);
    } catch (error) {
      observer.failed(error);
    }
  }
  async function start(end: RecordPlace): Promise<RecordPlace> {
    const found = await findStart(folder, end, observer.failed);
    if (options.deleteForwarded) await deleteBefore(folder, found.number);
    return found;
  }
  async function step(): Promise<void> {
    const grown = spool.grown();
    const end = await spool.end();
    position ??= await start(end);
    const { records, next } = await readBatch(folder, position, end, options.limits);
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
      return { waitingBytes: await bytesAfter(folder, position, await spool.end()), oldest };
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
  folder: string,
  end: RecordPlace,
  failed: (error: unknown) => void,
): Promise<RecordPlace> {
  const numbers = await listSegments(folder);
  const oldest = { number: numbers[0] ?? end.number, offset: 0 };
  const cursor = await loadCursor(folder).catch((error: unknown) => {
    if (!(error instanceof CursorFault)) throw error;
    failed(error);
    return undefined;
  });
  if (cursor === undefined) return oldest;
  if (cursor.number > end.number) {
    failed(
      new CursorFault(`file ${segmentName(cursor.number)} does not exist, so the whole spool is sent again`),
    );
    return oldest;
  }
  const number = numbers.find((one) => one >= cursor.number) ?? end.number;
  if (number !== cursor.number) return { number, offset: 0 };
  if (await isBoundary(folder, cursor)) return cursor;
  failed(new CursorFault(`file ${segmentName(number)} has changed, so all of it is sent again`));
  return { number, offset: 0 };
}

/** Deletes files before `number`, which is at most the last: the spool continues in its last file. */
async function deleteBefore(folder: string, number: number): Promise<void> {
  for (const one of await listSegments(folder)) {
    if (one < number) await rm(join(folder, segmentName(one)), { force: true });
  }
}
