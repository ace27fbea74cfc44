import { setTimeout as delay } from "node:timers/promises";
import { isMarkedAsUntransferable } from "node:worker_threads";
import type { Piscina } from "piscina";
import { collectYoungGarbage } from "../../../base/memory/collect-garbage.ts";
import { workerUrl } from "../../../base/package/root.ts";
import { exactCountOf } from "../../../base/text/count.ts";
import type { ParserConfig } from "../config.ts";
import type { Batch, ParsedBatch } from "../line/batch.ts";
import { createCrashingItems } from "./crashing-items.ts";
import { createYoungGarbage } from "./young-garbage.ts";

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
  /** The time without a batch after which threads end. Default: 10 s. */
  readonly idleMs?: number;
  /** Collects young garbage of this thread. Default: V8 does. */
  readonly collect?: () => void;
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

const workerFile = workerUrl("services/parser/pool/worker").href;

/** Threads without a batch for this time end, and with them their memory. */
const idleMs = 10_000;

/** The threads of a pool, and those that were replaced and are ending. */
interface PoolThreads extends AsyncDisposable {
  /** Returns the threads, and starts them at the first call. */
  open(): Promise<Threads>;
  /** The next batch starts other threads: Piscina starts no more after one failed to start. */
  replace(broken: Threads): void;
  /** Ends the threads when nothing has been opened for a while. */
  endLater(): void;
}

function createThreads(options: ParserPoolOptions, isIdle: () => boolean): PoolThreads {
  let threads: Threads | undefined;
  let ending: NodeJS.Timeout | undefined;
  const retired = new Set<Threads>();
  const replace = (broken: Threads): void => {
    if (threads !== broken) return;
    threads = undefined;
    retired.add(broken);
    void broken.close().finally(() => retired.delete(broken));
  };
  return {
    async open() {
      clearTimeout(ending);
      // The library is loaded with the first batch.
      const library = await import("piscina");
      if (threads !== undefined) return threads;
      const opened: Threads = new library.Piscina({
        filename: workerFile,
        name: "parseInWorker",
        minThreads: 1,
        maxThreads: options.config.workers,
        idleTimeout: idleMs,
        workerData: options.config,
        ...(options.resourceLimits === undefined ? {} : { resourceLimits: options.resourceLimits }),
      });
      // A worker that crashes between two batches is only reported here.
      opened.on("error", () => {
        if (isIdle()) replace(opened);
      });
      threads = opened;
      return opened;
    },
    replace,
    endLater() {
      const idle = threads;
      clearTimeout(ending);
      ending = setTimeout(() => idle && isIdle() && replace(idle), options.idleMs ?? idleMs).unref();
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(ending);
      const all = threads === undefined ? [...retired] : [threads, ...retired];
      threads = undefined;
      await Promise.all(all.map((pool) => pool.close()));
    },
  };
}

/** Creates no thread before the first batch. */
export function createParserPool(options: ParserPoolOptions): ParserPool {
  const crashing = createCrashingItems();
  const open = new Set<Promise<ParsedBatch>>();
  let pendingBytes = 0;
  let unusableUntil = 0;
  const { collect = collectYoungGarbage, monotonicMs } = options;
  const youngGarbage = createYoungGarbage({ collect, threadCpuMs, monotonicMs });
  const threads = createThreads(options, () => pendingBytes === 0);

  async function run(batch: Batch, signal: AbortSignal): Promise<ParsedBatch> {
    signal.throwIfAborted();
    const print = crashing.fingerprint(batch.content);
    const progress = new Int32Array(new SharedArrayBuffer(4)).fill(-1);
    const pool = await threads.open();
    const content = transferable(batch.content);
    try {
      const task = { ...batch, content, progress, skipped: crashing.itemsToSkip(print) };
      const sentBytes = content.byteLength;
      const running = pool.run(task, { signal, transferList: [content.buffer] });
      youngGarbage.collectAfter(sentBytes);
      return await running;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const item = progress[0]!;
      if (item < 0) {
        threads.replace(pool);
        unusableUntil = monotonicMs() + unusableMs;
      }
      crashing.add(print, item);
      const message = `parser worker crashed at item ${item}: ${String(error)}`;
      throw new WorkerCrashError(message, { cause: error });
    }
  }

  return {
    isUsable: () => monotonicMs() >= unusableUntil,
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
        if (open.size === 0) threads.endLater();
      }
    },
    async [Symbol.asyncDispose]() {
      // Piscina's own close drops queued tasks.
      await Promise.race([Promise.allSettled(open), delay(closeMs, undefined, { ref: false })]);
      await threads[Symbol.asyncDispose]();
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

/** Returns the CPU time of the calling thread. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const unusableMs = 30_000;

/** Closing the pool waits this long for running batches. */
const closeMs = 30_000;

/** The content of a gRPC message follows 5 bytes of frame and some bytes of protobuf. */
const maxForeignBytes = 64;
