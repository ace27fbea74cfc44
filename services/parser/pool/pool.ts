import { setTimeout as delay } from "node:timers/promises";
import { isMarkedAsUntransferable } from "node:worker_threads";
import { Piscina } from "piscina";
import { exactCountOf } from "../../../base/text/count.ts";
import type { ParserConfig } from "../config.ts";
import type { Batch, ParsedBatch } from "../line/batch.ts";
import { createCrashingItems } from "./crashing-items.ts";

/** One batch on its way to a worker. `progress[0]` is written by the worker: the item it has begun. */
export interface WorkerTask extends Batch {
  readonly progress: Int32Array;
  readonly skipped: readonly number[];
}

export interface ParserPoolOptions {
  /** Each worker builds its parser from it. */
  readonly config: ParserConfig;
  /** Bytes of all batches given to the pool and not answered yet. */
  readonly maxPendingBytes: number;
  /** Clock in ms that never goes back. */
  readonly monotonicMs: () => number;
  readonly resourceLimits?: { readonly maxOldGenerationSizeMb?: number };
}

/** The pool takes no more at present; a later try may succeed. */
export class PoolBusyError extends Error {
  override readonly name = "PoolBusyError";
}

/** The worker ended while it parsed this batch; when it comes again, the item that ended it is left out. */
export class WorkerCrashError extends Error {
  override readonly name = "WorkerCrashError";
}

export interface ParserPool extends AsyncDisposable {
  /** False for a while after workers could not even start: batches are then better parsed without them. */
  isUsable(): boolean;
  /**
   * Parses in a worker and takes the content's memory with it: where nothing else lies in its ArrayBuffer, it is
   * transferred and empty afterwards. Rejects with PoolBusyError, WorkerCrashError or the signal's reason.
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
    // A worker that ends between two batches is only reported here.
    opened.on("error", () => {
      if (pendingBytes === 0) replace(opened);
    });
    threads = opened;
    return opened;
  }
  /** Piscina starts no more threads after one failed while starting: then it is replaced. */
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
    const content = movable(batch.content);
    try {
      const task = { ...batch, content, progress, skipped: crashing.skippedIn(print) };
      return await pool.run(task, { signal, transferList: [content.buffer] });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const item = progress[0]!;
      if (item < 0) {
        replace(pool);
        unusableUntil = options.monotonicMs() + unusableMs;
      }
      crashing.blame(print, item);
      throw new WorkerCrashError(`a parser worker ended at item ${item}: ${String(error)}`, { cause: error });
    }
  }

  return {
    isUsable: () => options.monotonicMs() >= unusableUntil,
    async parse(batch, signal) {
      const bytes = batch.content.byteLength;
      if (pendingBytes > 0 && pendingBytes + bytes > options.maxPendingBytes) {
        throw new PoolBusyError(`${exactCountOf(pendingBytes, "byte")} wait for the parser's workers`);
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
      // Piscina's own close drops what is queued.
      await Promise.race([Promise.allSettled(open), delay(closeMs, undefined, { ref: false })]);
      const all = threads === undefined ? [...retired] : [threads, ...retired];
      threads = undefined;
      await Promise.all(all.map((pool) => pool.close()));
    },
  };
}

/** The memory itself when the content is nearly all that lies in it, otherwise a copy. */
function movable(content: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = content;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength - byteLength <= maxForeignBytes;
  return isOwn && !isMarkedAsUntransferable(buffer)
    ? new Uint8Array(buffer, content.byteOffset, byteLength)
    : new Uint8Array(content);
}

const unusableMs = 30_000;

/** Batches still running after this are given up when the pool closes. */
const closeMs = 30_000;

/** A gRPC message's content lies behind 5 bytes of frame and some of protobuf. */
const maxForeignBytes = 64;
