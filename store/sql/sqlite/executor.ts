import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { FileHolds, FileOwner, Release } from "../../../base/files/file-holds.ts";
import { errorMessage } from "../../../base/text/system-error.ts";
import type { ArgumentsOf, Executor, NameIn, Operations, OutcomeOf } from "../operations.ts";
import type { DiskGuard } from "./disk-guard.ts";
import { deserializeError } from "./errors.ts";
import type { FromWorker, HoldRequest, Request, ToWorker, WorkerSetup } from "./messages.ts";
import type { SqliteStore } from "./sqlite.ts";

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The module of a store's thread, which calls `serveStore`. */
export interface ThreadModule {
  readonly url: URL;
  readonly name: string;
}

/** Passes operations to the thread which owns the database. A thread that ended is replaced at the next request. */
export class SqliteExecutor<O extends Operations> implements Executor<O>, FileOwner {
  readonly #store: SqliteStore & { readonly operations: O };
  readonly #thread: ThreadModule;
  readonly #setup: WorkerSetup;
  readonly #guard: DiskGuard;
  readonly #holds: FileHolds | undefined;
  readonly #pending = new Map<number, Pending>();
  #outbox: Request[] = [];
  #buffers: ArrayBuffer[] = [];
  #worker: Worker | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(
    store: SqliteStore & { readonly operations: O },
    thread: ThreadModule,
    setup: WorkerSetup,
    guard: DiskGuard,
    holds?: FileHolds,
  ) {
    this.#store = store;
    this.#thread = thread;
    this.#setup = setup;
    this.#guard = guard;
    this.#holds = holds;
  }

  /**
   * Resolves when the database is open.
   * @throws OpenError of the store
   */
  async open(): Promise<void> {
    await (this.#holds === undefined ? this.#open() : this.#holds.own(() => this.#open()));
  }

  async #open(): Promise<this> {
    const worker = this.#start();
    const failure = await openFailure(worker, this.#store.faults.noun);
    if (failure === undefined) return this;
    this.#isClosed = true;
    await worker.terminate();
    throw new this.#store.faults.OpenError(failure);
  }

  /**
   * Checks that there is space for the bytes.
   * @throws FullError of the store
   */
  admit(bytes: number): void {
    this.#guard.check(bytes);
  }

  /** Keeps the file as it is, while commits extend its log. */
  async hold(): Promise<Release> {
    await this.#setHeld("hold");
    return () => this.#setHeld("release");
  }

  async measure(): Promise<{ usedBytes: number | null; freeBytes: number | null }> {
    return this.#guard.measure();
  }

  async call<N extends NameIn<O>>(
    name: N,
    nowMs: number,
    args: ArgumentsOf<O, N>,
    signal: AbortSignal | undefined,
  ): Promise<OutcomeOf<O, N>> {
    signal?.throwIfAborted();
    const { faults, storesData } = this.#store;
    if (this.#isClosed) throw new faults.UnavailableError(`${faults.noun} is closed`);
    const isStoring = storesData.has(name);
    const copied = isStoring ? copyBytes(args) : { args, buffers: [], bytes: 0 };
    if (isStoring) this.#guard.admit(copied.bytes);
    const id = ++this.#lastId;
    const reply = Promise.withResolvers<unknown>();
    this.#pending.set(id, reply);
    const abort = (): void => this.#takePending(id)?.reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    this.#buffers.push(...copied.buffers);
    this.#send({ id, nowMs, name, args: copied.args, bytes: copied.bytes });
    try {
      return (await reply.promise) as OutcomeOf<O, N>;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#holds?.disown(this);
    // The waiting requests are sent first, since they may start a new thread.
    this.#flush();
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = once(worker, "exit");
    worker.postMessage({ kind: "close" } satisfies ToWorker);
    await exited;
  }

  async #setHeld(kind: HoldRequest["kind"]): Promise<void> {
    const { faults } = this.#store;
    if (this.#isClosed) throw new faults.UnavailableError(`${faults.noun} is closed`);
    const id = ++this.#lastId;
    const reply = Promise.withResolvers<unknown>();
    this.#pending.set(id, reply);
    this.#flush();
    const worker = this.#worker ?? this.#start();
    worker.postMessage({ kind, id } satisfies ToWorker);
    await reply.promise;
  }

  #start(): Worker {
    const { url, name } = this.#thread;
    const { noun } = this.#store.faults;
    const worker = new Worker(url, { workerData: this.#setup, name });
    worker.on("message", (message: FromWorker) => this.#receive(message, worker));
    worker.on("error", (error) => this.#lose(worker, `${noun} thread failed: ${error.message}`));
    worker.on("exit", () => this.#lose(worker, `${noun} thread ended`));
    this.#worker = worker;
    return worker;
  }

  /**
   * Sends a request at the end of this iteration of the event loop, together with all others of it: each message wakes
   * the thread.
   */
  #send(request: Request): void {
    if (this.#outbox.push(request) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const requests = this.#outbox;
    if (requests.length === 0) return;
    const buffers = this.#buffers;
    this.#outbox = [];
    this.#buffers = [];
    try {
      const worker = this.#worker ?? this.#start();
      worker.postMessage({ kind: "requests", requests } satisfies ToWorker, buffers);
    } catch (error) {
      // No thread could be started, or an argument can't be cloned.
      for (const { id } of requests) this.#takePending(id)?.reject(error);
    }
  }

  #receive(message: FromWorker, worker: Worker): void {
    if (message.kind === "closed") return;
    if (message.kind === "failed") {
      this.#lose(worker, message.error.message);
      void worker.terminate();
      return;
    }
    if (message.usedBytes !== null) this.#guard.setUsedBytes(message.usedBytes);
    if (message.kind === "opened") return;
    const { faults } = this.#store;
    for (const reply of message.replies) {
      const pending = this.#takePending(reply.id);
      if ("error" in reply) pending?.reject(deserializeError(faults, reply.error));
      else pending?.resolve(reply.value);
    }
  }

  #lose(worker: Worker, message: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const { UnavailableError } = this.#store.faults;
    for (const id of [...this.#pending.keys()]) this.#takePending(id)?.reject(new UnavailableError(message));
  }

  #takePending(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }
}

/** Returns why a started thread could not open its file; undefined when it could. */
async function openFailure(worker: Worker, noun: string): Promise<string | undefined> {
  const decided = new AbortController();
  const first = (event: "message" | "exit") => once(worker, event, { signal: decided.signal });
  const opened = first("message").then(([message]: FromWorker[]) =>
    message?.kind === "failed" ? message.error.message : undefined,
  );
  try {
    return await Promise.race([
      opened,
      first("exit").then(() => `${noun} thread ended before it opened the file`),
    ]);
  } catch (error) {
    return `${noun} thread failed: ${errorMessage(error)}`;
  } finally {
    decided.abort();
  }
}

/** Arguments with their own copies of bytes, which can be transferred to a thread. */
interface CopiedArguments {
  readonly args: readonly unknown[];
  readonly buffers: readonly ArrayBuffer[];
  readonly bytes: number;
}

/**
 * Copies the arrays of bytes in arguments into one buffer. A small array is a view of a shared pool,
 * which would be cloned as a whole, and the caller keeps its own arrays.
 */
function copyBytes(args: readonly unknown[]): CopiedArguments {
  const bytes = countBytes(args);
  if (bytes === 0) return { args, buffers: [], bytes };
  // Memory that is not cleared first: all of it is written.
  const all = Buffer.allocUnsafeSlow(bytes);
  let end = 0;
  const own = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Uint8Array) {
      const start = end;
      end += value.length;
      all.set(value, start);
      return new Uint8Array(all.buffer, start, value.length);
    }
    if (Array.isArray(value)) return typeof value[0] === "object" ? value.map(own) : value;
    const copy: Record<string, unknown> = { ...value };
    for (const name of Object.keys(copy)) {
      const field = copy[name];
      if (typeof field === "object") copy[name] = own(field);
    }
    return copy;
  };
  return { args: args.map(own), buffers: [all.buffer], bytes };
}

/** Uses no `for … in`, for which V8 compiles a function that sees several kinds of objects again and again. */
function countBytes(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  if (value instanceof Uint8Array) return value.length;
  if (Array.isArray(value) && typeof value[0] !== "object") return 0;
  let bytes = 0;
  for (const field of Object.values(value)) if (typeof field === "object") bytes += countBytes(field);
  return bytes;
}
