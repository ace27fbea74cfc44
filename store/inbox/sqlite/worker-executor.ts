import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { InboxOpenError, InboxUnavailableError } from "../inbox.ts";
import type { Arguments, OperationName, Outcome } from "../sql/operations.ts";
import type { Executor } from "../sql/sql-inbox.ts";
import type { DiskGuard } from "./disk-guard.ts";
import { fromNote } from "./errors.ts";
import type { FromWorker, Request, ToWorker, WorkerSetup } from "./requests.ts";

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

const isSource = import.meta.url.endsWith(".ts");
const workerUrl = new URL(isSource ? "./worker.ts" : "./worker.js", import.meta.url);

/** Hands operations to the thread that owns the database. A thread that dies is replaced at the next request. */
export class WorkerExecutor implements Executor {
  readonly #setup: WorkerSetup;
  readonly #guard: DiskGuard;
  readonly #pending = new Map<number, Pending>();
  #outbox: Request[] = [];
  #worker: Worker | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(setup: WorkerSetup, guard: DiskGuard) {
    this.#setup = setup;
    this.#guard = guard;
  }

  /** Resolves when the database is open. */
  async open(): Promise<void> {
    const worker = this.#start();
    const [message] = (await once(worker, "message")) as [FromWorker];
    if (message.kind !== "failed") return;
    this.#isClosed = true;
    await worker.terminate();
    throw new InboxOpenError(message.error.message);
  }

  admit(bodyBytes: number): void {
    this.#guard.admit(bodyBytes);
  }

  async measure(): Promise<{ usedBytes: number | null; freeBytes: number | null }> {
    return this.#guard.measure();
  }

  async call<N extends OperationName>(
    name: N,
    nowMs: number,
    args: Arguments<N>,
    signal: AbortSignal | undefined,
  ): Promise<Outcome<N>> {
    if (this.#isClosed) throw new InboxUnavailableError("inbox is closed");
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<unknown>();
    this.#pending.set(id, answer);
    const abort = (): void => this.#take(id)?.reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    this.#send({ id, nowMs, name, args: args.map(withOwnBytes) });
    try {
      return (await answer.promise) as Outcome<N>;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#flush();
    const exited = once(worker, "exit");
    worker.postMessage({ kind: "close" } satisfies ToWorker);
    await exited;
  }

  #start(): Worker {
    const worker = new Worker(workerUrl, { workerData: this.#setup, name: "engage-inbox" });
    worker.on("message", (message: FromWorker) => this.#receive(message, worker));
    worker.on("error", (error) => this.#lose(worker, `inbox thread failed: ${error.message}`));
    worker.on("exit", () => this.#lose(worker, "inbox thread ended"));
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
    this.#outbox = [];
    const bodies = requests.flatMap(({ args }) => bodyOf(args[0])?.buffer ?? []);
    try {
      const worker = this.#worker ?? this.#start();
      worker.postMessage({ kind: "requests", requests } satisfies ToWorker, bodies);
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
    for (const reply of message.replies) {
      const pending = this.#take(reply.id);
      if ("error" in reply) pending?.reject(fromNote(reply.error));
      else pending?.resolve(reply.value);
    }
  }

  #lose(worker: Worker, message: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(new InboxUnavailableError(message));
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    return pending;
  }
}

function bodyOf(arg: unknown): Uint8Array<ArrayBuffer> | undefined {
  const body = (arg as { readonly body?: unknown } | null | undefined)?.body;
  return body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : undefined;
}

/**
 * Bytes of its own for each array of an argument. A small buffer is a view into a
 * pool, and all of the pool would be cloned; and the body is given away.
 */
function withOwnBytes(arg: unknown): unknown {
  if (bodyOf(arg) === undefined) return arg;
  const entries = Object.entries(arg as object).map(([key, value]) => [
    key,
    value instanceof Uint8Array ? new Uint8Array(value) : value,
  ]);
  return Object.fromEntries(entries);
}
