import type { DeadLetterBatch, DeadLetterObserver, DeadLetters } from "./deadletters.ts";

export interface QueueOptions {
  /** The maximum bytes of dead letters which wait to be written; beyond it they are dropped and counted. */
  readonly maxBufferedBytes?: number;
  /** The pause before a failed write is tried again. */
  readonly retryMs?: number;
  readonly observer: DeadLetterObserver;
}

export interface Writer {
  /** Writes all lines. After a rejection, a call with the same bytes continues at the first unwritten line. */
  write(ndjson: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

const defaultBufferedBytes = 128 * 2 ** 20;
const writeBytes = 2 ** 20;
const defaultRetryMs = 5_000;

/** Passes dead letters to a writer in the background, in the order of the calls, many at a time. */
export function createQueue(writer: Writer, options: QueueOptions): DeadLetters {
  const { observer, maxBufferedBytes = defaultBufferedBytes, retryMs = defaultRetryMs } = options;
  let queue: DeadLetterBatch[] = [];
  let current: DeadLetterBatch | undefined;
  let bufferedBytes = 0;
  let running: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isFailing = false;
  let isClosed = false;

  function start(): Promise<void> {
    clearTimeout(retry);
    running ??= drain().finally(() => {
      running = undefined;
      // A batch which arrived after the last check and before this point needs a new write.
      if (queue.length > 0 && !isFailing) void start();
    });
    return running;
  }
  /** Combines many small batches to one write. */
  function next(): DeadLetterBatch | undefined {
    if (current !== undefined || queue.length === 0) return current;
    const taken: DeadLetterBatch[] = [];
    for (let bytes = 0; taken.length < queue.length && bytes < writeBytes; ) {
      const batch = queue[taken.length]!;
      taken.push(batch);
      bytes += batch.ndjson.length;
    }
    queue = queue.slice(taken.length);
    current = {
      count: taken.reduce((count, batch) => count + batch.count, 0),
      ndjson: Buffer.concat(taken.map(({ ndjson }) => ndjson)),
    };
    return current;
  }
  async function drain(): Promise<void> {
    for (let batch = next(); batch !== undefined; batch = next()) {
      try {
        await writer.write(batch.ndjson);
      } catch (error) {
        if (!isFailing) observer.failed(error);
        isFailing = true;
        retry = setTimeout(() => void start(), retryMs).unref();
        return;
      }
      current = undefined;
      bufferedBytes -= batch.ndjson.length;
      observer.written(batch.count);
      if (isFailing) observer.resumed();
      isFailing = false;
    }
  }
  return {
    append(batch) {
      if (isClosed || bufferedBytes + batch.ndjson.length > maxBufferedBytes) {
        observer.dropped(batch.count);
        return;
      }
      queue.push(batch);
      bufferedBytes += batch.ndjson.length;
      if (!isFailing) void start();
    },
    flush: start,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await running;
      await start();
      clearTimeout(retry);
      for (const batch of current === undefined ? queue : [current, ...queue]) observer.dropped(batch.count);
      queue = [];
      current = undefined;
      await writer.close().catch((error: unknown) => observer.failed(error));
    },
  };
}

const lf = 0x0a;

/** Returns the length of the leading lines which fit; a line longer than a whole file gets its own file. */
export function wholeLines(ndjson: Uint8Array, roomBytes: number, isEmpty: boolean): number {
  if (ndjson.length <= roomBytes) return ndjson.length;
  const fitting = ndjson.subarray(0, Math.max(0, roomBytes)).lastIndexOf(lf) + 1;
  return fitting === 0 && isEmpty ? ndjson.indexOf(lf) + 1 : fitting;
}
