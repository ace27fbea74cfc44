import { rm } from "node:fs/promises";
import { join } from "node:path";
import { CursorFault, loadCursor, saveCursor } from "./forward-cursor.ts";
import { createHandOver, type HandOverOptions } from "./hand-over.ts";
import type { RecordSpool } from "./ndjson-spool.ts";
import type { SpoolPosition } from "./rolling-segments.ts";
import { listSegments, segmentName } from "./segment-files.ts";
import { type BatchLimits, bytesBehind, isBoundary, readBatch } from "./spool-reader.ts";

export interface ForwarderOptions extends Omit<HandOverOptions, "stop" | "cut"> {
  /** Of the spool; the position is kept in it, as `forward.json`. */
  readonly folder: string;
  readonly spool: Pick<RecordSpool, "end" | "grown">;
  readonly limits: BatchLimits;
  /** Whether files of which all has been forwarded are deleted. */
  readonly deleteForwarded: boolean;
  /** When it is closed, a call under way gets this much time to end. */
  readonly stopMs: () => number;
}

export interface Forwarder extends AsyncDisposable {
  status(): Promise<ForwardStatus>;
}

export interface ForwardStatus {
  readonly waitingBytes: number;
  /** The first record that waits; undefined when none does. */
  readonly oldest: Uint8Array | undefined;
}

/**
 * Forwards the records of a spool in their order, each at least once: the
 * position moves on only after the receiver has taken them, or they are dead
 * letters. Nothing is given up for the receiver being away.
 */
export function openForwarder(options: ForwarderOptions): Forwarder {
  const { folder, spool, observer, delays } = options;
  const stop = new AbortController();
  const cut = new AbortController();
  const handOver = createHandOver({ ...options, stop: stop.signal, cut: cut.signal });
  let position: SpoolPosition | undefined;
  let oldest: Uint8Array | undefined;
  let wakeUp = (): void => {};

  /** Without a position on disk the records would go out again, so no file is deleted then. */
  async function moveTo(next: SpoolPosition): Promise<void> {
    position = next;
    try {
      await saveCursor(folder, next);
      if (next.offset === 0 && options.deleteForwarded) await deleteBefore(folder, next.number);
    } catch (error) {
      observer.failed(error);
    }
  }
  async function start(end: SpoolPosition): Promise<SpoolPosition> {
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
      await handOver(records, (last) => moveTo(last.next));
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
      return { waitingBytes: await bytesBehind(folder, position, await spool.end()), oldest };
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

/** Where to go on; where that is not known for sure, rather too early than too late. */
async function findStart(
  folder: string,
  end: SpoolPosition,
  failed: (error: unknown) => void,
): Promise<SpoolPosition> {
  const numbers = await listSegments(folder);
  const oldest = { number: numbers[0] ?? end.number, offset: 0 };
  const kept = await loadCursor(folder).catch((error: unknown) => {
    if (!(error instanceof CursorFault)) throw error;
    failed(error);
    return undefined;
  });
  if (kept === undefined) return oldest;
  if (kept.number > end.number) {
    failed(new CursorFault(`file ${segmentName(kept.number)} is gone, so all in the spool is sent again`));
    return oldest;
  }
  const number = numbers.find((one) => one >= kept.number) ?? end.number;
  if (number !== kept.number) return { number, offset: 0 };
  if (await isBoundary(folder, kept)) return kept;
  failed(new CursorFault(`file ${segmentName(number)} has changed, so all of it is sent again`));
  return { number, offset: 0 };
}

/** The spool goes on in its last file, so that one is never deleted: `number` is at most the last. */
async function deleteBefore(folder: string, number: number): Promise<void> {
  for (const one of await listSegments(folder)) {
    if (one < number) await rm(join(folder, segmentName(one)), { force: true });
  }
}
