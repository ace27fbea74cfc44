import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { isDiskFull } from "./codes.ts";
import { pageBytes, StoreDatabase } from "./database.ts";
import { commitGroup, commitOnFullDisk, type GroupResult } from "./group-commit.ts";
import { toNote } from "./notes.ts";
import type { FromWorker, Request, ToWorker, WorkerSetup } from "./requests.ts";
import { DiskReserve } from "./reserve.ts";
import type { SqliteStore } from "./store.ts";

/** Bounds what one commit holds in memory and how long those behind it wait. */
const maxGroup = 256;
/** Pages of the tables and indexes that a commit writes besides the bodies, roughly. */
const commitBytes = 65_536;
/** Moved in one go, at most: 8 MiB. */
const maxShrinkPages = 1_024;

/** Serves a store's database in this worker thread, until it is told to close. */
export function serveStore(store: SqliteStore): void {
  new StoreThread(store, workerData as WorkerSetup, parentPort!).start();
}

/** Collects requests, commits them in groups, and looks after the file in between. */
class StoreThread {
  readonly #store: SqliteStore;
  readonly #setup: WorkerSetup;
  readonly #port: MessagePort;
  readonly #reserve: DiskReserve;
  readonly #queue: Request[] = [];
  #database: StoreDatabase | undefined;
  #lastGroup = 0;
  #walBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: SqliteStore, setup: WorkerSetup, port: MessagePort) {
    this.#store = store;
    this.#setup = setup;
    this.#port = port;
    this.#reserve = new DiskReserve(setup.path, setup.reserveBytes);
  }

  start(): void {
    try {
      this.#database = StoreDatabase.open(this.#store, this.#setup);
      this.#reserve.keep();
      this.#send({ kind: "opened", usedBytes: this.#database.usedBytes });
      this.#port.on("message", (message: ToWorker) => this.#receive(message));
    } catch (error) {
      this.#send({ kind: "failed", error: toNote(this.#store.faults, this.#setup.path, error) });
    }
  }

  #receive(message: ToWorker): void {
    if (message.kind === "close") {
      while (this.#queue.length > 0) this.#work();
      this.#reopenLater();
      this.#send({ kind: "closed" });
      this.#port.close();
      return;
    }
    this.#queue.push(...message.requests);
    // Senders that were answered together come back together: one sync for as many as last time.
    // Alone, a request doesn't wait.
    if (this.#queue.length >= this.#lastGroup) this.#work();
    else this.#workIn(this.#setup.lingerMs);
  }

  #workIn(ms: number): void {
    this.#timer ??= setTimeout(() => this.#work(), ms);
  }

  #work(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#drainPort();
    const group = this.#queue.splice(0, this.#groupSize());
    this.#lastGroup = group.length;
    if (group.length === 0) return;
    const result = this.#commit(group);
    const usedBytes = result.failure === undefined ? this.#database!.usedBytes : null;
    this.#send({ kind: "replies", replies: result.replies, usedBytes });
    if (result.failure === undefined) this.#tidy(group);
    if (this.#queue.length > 0) this.#workIn(0);
  }

  /** How many of those waiting share the next commit: at least one. */
  #groupSize(): number {
    let bytes = 0;
    const over = this.#queue.findIndex((request, i) => {
      bytes += request.bytes;
      return i > 0 && (i === maxGroup || bytes > this.#setup.maxWalBytes / 2);
    });
    return over === -1 ? this.#queue.length : over;
  }

  /** What arrived while the last commit ran joins this one. */
  #drainPort(): void {
    for (;;) {
      const next = receiveMessageOnPort(this.#port);
      if (next === undefined) return;
      const message = next.message as ToWorker;
      if (message.kind === "close") setImmediate(() => this.#receive(message));
      else this.#queue.push(...message.requests);
    }
  }

  #commit(group: readonly Request[]): GroupResult {
    const { path } = this.#setup;
    try {
      this.#database ??= StoreDatabase.open(this.#store, this.#setup);
    } catch (error) {
      const note = toNote(this.#store.faults, path, error);
      return { replies: group.map(({ id }) => ({ id, error: note })), failure: error };
    }
    const place = { store: this.#store, db: this.#database, path };
    const result = commitGroup(place, group);
    if (result.failure === undefined) return result;
    if (!isDiskFull(result.failure)) {
      this.#reopenLater();
      return result;
    }
    this.#reserve.release();
    const rest = commitOnFullDisk(place, group, result.failure);
    if (rest.failure !== undefined) this.#reopenLater();
    return rest;
  }

  /** After an I/O error what is in memory may not be what is on disk: the next request reads it anew. */
  #reopenLater(): void {
    try {
      this.#database?.[Symbol.dispose]();
    } catch {
      // Nothing is lost: the log is read again when the file is opened.
    }
    this.#database = undefined;
  }

  /** Between commits: keeps the log short and the reserve in place. */
  #tidy(group: readonly Request[]): void {
    this.#walBytes += commitBytes;
    for (const { bytes } of group) this.#walBytes += bytes;
    const isIdle = this.#queue.length === 0;
    const { maxWalBytes } = this.#setup;
    try {
      if (group.some(({ name }) => name === "prune")) this.#shrink();
      if (this.#walBytes < (isIdle ? maxWalBytes / 2 : maxWalBytes)) return;
      this.#walBytes = 0;
      this.#database?.exec("PRAGMA wal_checkpoint(PASSIVE)");
      this.#reserve.keep();
    } catch (error) {
      if (!isDiskFull(error)) this.#reopenLater();
    }
  }

  /** Gives pages back to the disk when more than a quarter of the file is unused, some at a time. */
  #shrink(): void {
    const database = this.#database;
    if (database === undefined || database.unusedBytes * 3 < database.usedBytes) return;
    this.#walBytes += database.shrink(maxShrinkPages) * pageBytes;
  }

  #send(message: FromWorker): void {
    this.#port.postMessage(message);
  }
}
