import type { FileHolds, FileOwner, Release } from "../../../base/files/file-holds.ts";
import type { ArgumentsOf, Executor, NameIn, Operations, OutcomeOf } from "../operations.ts";
import type { DiskGuard } from "./disk-guard.ts";
import { deserializeError } from "./errors.ts";
import type { HoldRequest, Request, WorkerReply, WorkerSetup } from "./messages.ts";
import type { SqliteStore } from "./sqlite.ts";
import { type QuietTimes, type ThreadModule, ThreadOnDemand } from "./thread-on-demand.ts";

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The thread of a store. */
export interface StoreThreadOptions {
  readonly module: ThreadModule;
  readonly setup: Omit<WorkerSetup, "isLocked">;
  /** Undefined: the thread stays until the executor is closed. */
  readonly quiet?: QuietTimes | undefined;
}

/** Passes operations to the thread which owns the database. */
export class SqliteExecutor<O extends Operations> implements Executor<O>, FileOwner {
  readonly #store: SqliteStore & { readonly operations: O };
  readonly #thread: ThreadOnDemand;
  readonly #guard: DiskGuard;
  readonly #holds: FileHolds | undefined;
  readonly #pending = new Map<number, Pending>();
  #outbox: Request[] = [];
  #buffers: ArrayBuffer[] = [];
  #lastId = 0;
  #isClosed = false;

  constructor(
    store: SqliteStore & { readonly operations: O },
    thread: StoreThreadOptions,
    guard: DiskGuard,
    holds?: FileHolds,
  ) {
    this.#store = store;
    this.#guard = guard;
    this.#holds = holds;
    this.#thread = new ThreadOnDemand({
      module: thread.module,
      setup: thread.setup,
      quiet: thread.quiet,
      noun: store.faults.noun,
      isNeeded: () => this.#pending.size > 0,
      receive: (message) => this.#receive(message),
      lost: (reason) => this.#lose(reason),
    });
  }

  /**
   * Resolves when the database is open.
   * @throws OpenError of the store
   */
  async open(): Promise<void> {
    await (this.#holds === undefined ? this.#open() : this.#holds.own(() => this.#open()));
  }

  async #open(): Promise<this> {
    const failure = await this.#thread.open();
    if (failure === undefined) return this;
    this.#isClosed = true;
    throw new this.#store.faults.OpenError(failure);
  }

  /**
   * Checks that there is space for the bytes.
   * @throws FullError of the store
   */
  admit(bytes: number): void {
    this.#guard.check(bytes);
  }

  /** How often no thread had the file or its lock, so that another process may have changed it. */
  get gaps(): number {
    return this.#thread.gaps;
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
    this.#buffers.push(...copied.buffers);
    this.#send({ id, nowMs, name, args: copied.args, bytes: copied.bytes });
    if (signal === undefined) return (await reply.promise) as OutcomeOf<O, N>;
    const abort = (): void => this.#takePending(id)?.reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      return (await reply.promise) as OutcomeOf<O, N>;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#holds?.disown(this);
    // The waiting requests are sent first, since they may start a new thread.
    this.#flush();
    await this.#thread.close();
  }

  async #setHeld(kind: HoldRequest["kind"]): Promise<void> {
    const { faults } = this.#store;
    if (this.#isClosed) throw new faults.UnavailableError(`${faults.noun} is closed`);
    const id = ++this.#lastId;
    const reply = Promise.withResolvers<unknown>();
    this.#pending.set(id, reply);
    this.#flush();
    this.#thread.post({
      message: { kind, id },
      transfer: [],
      failed: (error) => this.#fail([{ id }], error),
    });
    await reply.promise;
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
    const failed = (error: unknown): void => this.#fail(requests, error);
    this.#thread.post({ message: { kind: "requests", requests }, transfer: buffers, failed });
  }

  #fail(requests: readonly { readonly id: number }[], error: unknown): void {
    for (const { id } of requests) this.#takePending(id)?.reject(error);
  }

  #receive(message: WorkerReply): void {
    if (message.usedBytes !== null) this.#guard.setUsedBytes(message.usedBytes);
    if (message.kind === "opened") return;
    const { faults } = this.#store;
    for (const reply of message.replies) {
      const pending = this.#takePending(reply.id);
      if ("error" in reply) pending?.reject(deserializeError(faults, reply.error));
      else pending?.resolve(reply.value);
    }
  }

  #lose(reason: string): void {
    const { UnavailableError } = this.#store.faults;
    for (const id of [...this.#pending.keys()]) this.#takePending(id)?.reject(new UnavailableError(reason));
  }

  #takePending(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
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
