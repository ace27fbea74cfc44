import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { messageOf } from "../faults.ts";
import type { ArgumentsOf, Executor, NameIn, Operations, OutcomeOf } from "../operations.ts";
import type { DiskGuard } from "./disk-guard.ts";
import { fromNote } from "./notes.ts";
import { ownBytes } from "./own-bytes.ts";
import type { FromWorker, Request, ToWorker, WorkerSetup } from "./requests.ts";
import type { SqliteStore } from "./store.ts";

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The thread of a store: a module that calls `serveStore`. */
export interface ThreadModule {
  readonly url: URL;
  readonly name: string;
}

/** Where the module `worker` beside a store's own module is, in source and when built. */
export function workerBeside(moduleUrl: string): URL {
  return new URL(moduleUrl.endsWith(".ts") ? "./worker.ts" : "./worker.js", moduleUrl);
}

/** Hands operations to the thread that owns the database. A thread that dies is replaced at the next request. */
export class SqliteExecutor<O extends Operations> implements Executor<O> {
  readonly #store: SqliteStore & { readonly operations: O };
  readonly #thread: ThreadModule;
  readonly #setup: WorkerSetup;
  readonly #guard: DiskGuard;
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
  ) {
    this.#store = store;
    this.#thread = thread;
    this.#setup = setup;
    this.#guard = guard;
  }

  /** Resolves when the database is open. @throws OpenError of the store */
  async open(): Promise<void> {
    const worker = this.#start();
    const failure = await failureOf(worker, this.#store.faults.noun);
    if (failure === undefined) return;
    this.#isClosed = true;
    await worker.terminate();
    throw new this.#store.faults.OpenError(failure);
  }

  /** Whether there is room for so much. @throws FullError of the store */
  admit(bytes: number): void {
    this.#guard.check(bytes);
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
    const { faults, bringing } = this.#store;
    if (this.#isClosed) throw new faults.UnavailableError(`${faults.noun} is closed`);
    const isBringing = bringing.has(name);
    const owned = isBringing ? ownBytes(args) : { args, buffers: [], bytes: 0 };
    if (isBringing) this.#guard.admit(owned.bytes);
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<unknown>();
    this.#pending.set(id, answer);
    const abort = (): void => this.#take(id)?.reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    this.#buffers.push(...owned.buffers);
    this.#send({ id, nowMs, name, args: owned.args, bytes: owned.bytes });
    try {
      return (await answer.promise) as OutcomeOf<O, N>;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Before looking for the thread: what waits may need one anew.
    this.#flush();
    const worker = this.#worker;
    if (worker === undefined) return;
    const exited = once(worker, "exit");
    worker.postMessage({ kind: "close" } satisfies ToWorker);
    await exited;
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

  /** Requests of one turn of the event loop go over together. */
  #send(request: Request): void {
    if (this.#outbox.push(request) === 1) queueMicrotask(() => this.#flush());
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
      // No thread to be had, or an argument that can't cross to it.
      for (const { id } of requests) this.#take(id)?.reject(error);
    }
  }

  #receive(message: FromWorker, worker: Worker): void {
    if (message.kind === "closed") return;
    if (message.kind === "failed") {
      this.#lose(worker, message.error.message);
      void worker.terminate();
      return;
    }
    if (message.usedBytes !== null) this.#guard.noteUsed(message.usedBytes);
    if (message.kind === "opened") return;
    const { faults } = this.#store;
    for (const reply of message.replies) {
      const pending = this.#take(reply.id);
      if ("error" in reply) pending?.reject(fromNote(faults, reply.error));
      else pending?.resolve(reply.value);
    }
  }

  #lose(worker: Worker, message: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const { UnavailableError } = this.#store.faults;
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(new UnavailableError(message));
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }
}

/** Why a thread that was started could not open its file; undefined when it could. */
async function failureOf(worker: Worker, noun: string): Promise<string | undefined> {
  const decided = new AbortController();
  const first = (event: "message" | "exit") => once(worker, event, { signal: decided.signal });
  const told = first("message").then(([message]: FromWorker[]) =>
    message?.kind === "failed" ? message.error.message : undefined,
  );
  try {
    return await Promise.race([
      told,
      first("exit").then(() => `${noun} thread ended before it had the file`),
    ]);
  } catch (error) {
    return `${noun} thread failed: ${messageOf(error)}`;
  } finally {
    decided.abort();
  }
}
