import { setTimeout as delay } from "node:timers/promises";
import { isMarkedAsUntransferable } from "node:worker_threads";
import { Piscina } from "piscina";
import { exactCountOf } from "../../../base/text/count.ts";
import type { ParserConfig } from "../config.ts";
import type { Batch, ParsedBatch } from "../line/batch.ts";
import { createCrashingItems } from "./crashing-items.ts";

/** A batch for a worker. The worker writes the item that it has begun to `progress[0]`. */
export interface WorkerTask extends Batch {
  readonly progress: Int32Array;
  readonly skipped: readonly number[];
}

export interface ParserPoolOptions {
  /** Configuration from which each worker creates its parser. */
  readonly config: ParserConfig;
  /** Most bytes of all batches that wait or are parsed. */
  readonly maxPendingBytes: number;
  /** Monotonic clock in ms. */
  readonly monotonicMs: () => number;
  readonly resourceLimits?: { readonly maxOldGenerationSizeMb?: number };
}

/** Thrown when too many bytes wait for the workers; a later call may succeed. */
export class PoolBusyError extends Error {
  override readonly name = "PoolBusyError";
}

/** Thrown when the worker crashed while it parsed this batch; a repeated call skips the item that crashed it. */
export class WorkerCrashError extends Error {
  override readonly name = "WorkerCrashError";
}

export interface ParserPool extends AsyncDisposable {
  /** Returns false for 30 s after a worker could not start: batches are then better parsed inline. */
  isUsable(): boolean;
  /**
   * Parses in a worker. The content is transferred, and empty afterwards, where nothing else is in its ArrayBuffer.
   * Rejects with PoolBusyError, WorkerCrashError or the signal's reason.
   */
  parse(batch: Batch, signal: AbortSignal): Promise<ParsedBatch>;
}

type Threads = Piscina<WorkerTask, ParsedBatch>;

const workerFile = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url)
  .href;

/** Creates no thread before the first batch. */
export function createParserPool(options: ParserPoolOptions): ParserPool {
  const crashing = createCrashingItems();
  let threads: Threads | undefined;
  const retired = new Set<Threads>();
  const open = new Set<Promise<ParsedBatch>>();
  let pendingBytes = 0;
  let unusableUntil = 0;

  function openThreads(): Threads {
    if (threads !== undefined) return threads;
    const opened = new Piscina<WorkerTask, ParsedBatch>({
      filename: workerFile,
      name: "parseInWorker",
      minThreads: 1,
      maxThreads: options.config.workers,
      idleTimeout: 60_000,
      workerData: options.config,
      ...(options.resourceLimits === undefined ? {} : { resourceLimits: options.resourceLimits }),
    });
    // A worker that crashes between two batches is only reported here.
    opened.on("error", () => {
      if (pendingBytes === 0) replace(opened);
    });
    threads = opened;
    return opened;
  }
  /** Replaces the pool: Piscina starts no more threads after one failed to start. */
  function replace(broken: Threads): void {
    if (threads !== broken) return;
    threads = undefined;
    retired.add(broken);
    void broken.close().finally(() => retired.delete(broken));
  }
  async function run(batch: Batch, signal: AbortSignal): Promise<ParsedBatch> {
    signal.throwIfAborted();
    const print = crashing.fingerprint(batch.content);
    const progress = new Int32Array(new SharedArrayBuffer(4)).fill(-1);
    const pool = openThreads();
    const content = transferable(batch.content);
    try {
      const task = { ...batch, content, progress, skipped: crashing.itemsToSkip(print) };
      return await pool.run(task, { signal, transferList: [content.buffer] });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const item = progress[0]!;
      if (item < 0) {
        replace(pool);
        unusableUntil = options.monotonicMs() + unusableMs;
      }
      crashing.add(print, item);
      const message = `parser worker crashed at item ${item}: ${String(error)}`;
      throw new WorkerCrashError(message, { cause: error });
    }
  }

  return {
    isUsable: () => options.monotonicMs() >= unusableUntil,
    async parse(batch, signal) {
      const bytes = batch.content.byteLength;
      if (pendingBytes > 0 && pendingBytes + bytes > options.maxPendingBytes) {
        throw new PoolBusyError(`the parser is busy: ${exactCountOf(pendingBytes, "byte")} in the queue`);
      }
      pendingBytes += bytes;
      const running = run(batch, signal);
      open.add(running);
      try {
        return await running;
      } finally {
        open.delete(running);
        pendingBytes -= bytes;
      }
    },
    async [Symbol.asyncDispose]() {
      // Piscina's own close drops queued tasks.
      await Promise.race([Promise.allSettled(open), delay(closeMs, undefined, { ref: false })]);
      const all = threads === undefined ? [...retired] : [threads, ...retired];
      threads = undefined;
      await Promise.all(all.map((pool) => pool.close()));
    },
  };
}

/** Returns the content in a buffer that can be transferred: its own when it has little else in it, otherwise a copy. */
function transferable(content: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = content;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength - byteLength <= maxForeignBytes;
  return isOwn && !isMarkedAsUntransferable(buffer)
    ? new Uint8Array(buffer, content.byteOffset, byteLength)
    : new Uint8Array(content);
}

const unusableMs = 30_000;

/** Closing the pool waits this long for running batches. */
const closeMs = 30_000;

/** The content of a gRPC message follows 5 bytes of frame and some bytes of protobuf. */
const maxForeignBytes = 64;
