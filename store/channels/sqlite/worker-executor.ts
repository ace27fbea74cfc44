import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { ChannelsOpenError, ChannelsUnavailableError, type SlotRequest, type Slots } from "../channels.ts";
import type { Arguments, OperationName, Outcome } from "../sql/operations.ts";
import { type SlotState, takeSlots } from "../sql/slots.ts";
import type { Executor } from "../sql/sql-channels.ts";
import { fromNote } from "./errors.ts";
import type { FromWorker, Request, ToWorker, WorkerSetup } from "./requests.ts";

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

const isSource = import.meta.url.endsWith(".ts");
const workerUrl = new URL(isSource ? "./worker.ts" : "./worker.js", import.meta.url);
/** A process before this one may have sent until it ended: no slot is in a window with its last. */
const QUIET_US = 1_100_000;

/** Hands operations to the thread that owns the database. A thread that dies is replaced at the next request. */
export class WorkerExecutor implements Executor {
  readonly #setup: WorkerSetup;
  readonly #monotonicUs: () => number;
  readonly #pending = new Map<number, Pending>();
  readonly #slots = new Map<string, SlotState>();
  #outbox: Request[] = [];
  #worker: Worker | undefined;
  #lastId = 0;
  #openedUs = 0;
  #isClosed = false;

  /** @param monotonicUs microseconds of a clock that nobody sets */
  constructor(setup: WorkerSetup, monotonicUs: () => number) {
    this.#setup = setup;
    this.#monotonicUs = monotonicUs;
  }

  /** Resolves when the database is open. */
  async open(): Promise<void> {
    const worker = this.#start();
    const [message] = (await once(worker, "message")) as [FromWorker];
    this.#openedUs = this.#monotonicUs();
    if (message.kind !== "failed") return;
    this.#isClosed = true;
    await worker.terminate();
    throw new ChannelsOpenError(message.error.message);
  }

  async call<N extends OperationName>(
    name: N,
    nowMs: number,
    args: Arguments<N>,
    signal: AbortSignal | undefined,
  ): Promise<Outcome<N>> {
    if (this.#isClosed) throw new ChannelsUnavailableError("the store of channels is closed");
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

  /** One process has the file, so its slots need not be kept. */
  async reserveSlots(request: SlotRequest): Promise<Slots> {
    const nowUs = this.#monotonicUs();
    const { channelId, perSecond } = request;
    const first = { nextUs: Math.max(nowUs, this.#openedUs + QUIET_US), perSecond };
    const { atUs, retryAfterMs, state } = takeSlots(this.#slots.get(channelId) ?? first, request, nowUs);
    this.#slots.set(channelId, state);
    return { delaysMs: atUs.map((at) => (at - nowUs) / 1_000), retryAfterMs };
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
    const worker = new Worker(workerUrl, { workerData: this.#setup, name: "engage-channels" });
    worker.on("message", (message: FromWorker) => this.#receive(message, worker));
    worker.on("error", (error) =>
      this.#lose(worker, `thread of the store of channels failed: ${error.message}`),
    );
    worker.on("exit", () => this.#lose(worker, "thread of the store of channels ended"));
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
    try {
      const worker = this.#worker ?? this.#start();
      worker.postMessage({ kind: "requests", requests } satisfies ToWorker);
    } catch (error) {
      // No thread to be had, or an argument that can't cross to it.
      for (const { id } of requests) this.#take(id)?.reject(error);
    }
  }

  #receive(message: FromWorker, worker: Worker): void {
    if (message.kind === "opened") return;
    if (message.kind === "failed") {
      this.#lose(worker, message.error.message);
      void worker.terminate();
      return;
    }
    for (const reply of message.replies) {
      const pending = this.#take(reply.id);
      if ("error" in reply) pending?.reject(fromNote(reply.error));
      else pending?.resolve(reply.value);
    }
  }

  #lose(worker: Worker, message: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(new ChannelsUnavailableError(message));
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }
}

/** Bytes that are a view into a larger buffer get one of their own: all of the larger would be cloned. */
function withOwnBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) {
    return value.byteLength === value.buffer.byteLength ? value : new Uint8Array(value);
  }
  if (Array.isArray(value)) return value.map(withOwnBytes);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withOwnBytes(member)]));
}
