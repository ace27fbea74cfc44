import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { freeIdleMemory } from "../../../base/memory/idle-memory.ts";
import { pageBytes, StoreDatabase } from "./database.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { isDiskFull, serializeError } from "./errors.ts";
import { commitGroup, commitOnFullDisk, type GroupResult } from "./group-commit.ts";
import type { FromWorker, HoldRequest, Request, ToWorker, WorkerSetup } from "./messages.ts";
import { ownBuffersOf } from "./own-buffers.ts";
import type { SqliteStore } from "./sqlite.ts";

/** Bounds the memory of one commit and the time that later requests wait. */
const maxGroup = 256;
/** The approximate size of the pages of tables and indexes which a commit writes besides the bodies. */
const commitBytes = 65_536;
/** The maximum number of pages moved at a time: 8 MiB. */
const maxShrinkPages = 1_024;

/** Serves a store's database in this worker thread until a close message arrives. */
export function serveStore(store: SqliteStore): void {
  new StoreThread(store, workerData as WorkerSetup, parentPort!).start();
  freeIdleMemory();
}

/** Collects requests, commits them in groups, and maintains the file in between. */
class StoreThread {
  readonly #store: SqliteStore;
  readonly #setup: WorkerSetup;
  readonly #port: MessagePort;
  readonly #reserve: DiskReserve;
  readonly #queue: Request[] = [];
  #database: StoreDatabase | undefined;
  #lastGroup = 0;
  #walBytes = 0;
  #isHeld = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: SqliteStore, setup: WorkerSetup, port: MessagePort) {
    this.#store = store;
    this.#setup = setup;
    this.#port = port;
    this.#reserve = new DiskReserve(setup.path, setup.reserveBytes);
  }

  start(): void {
    this.#port.on("message", (message: ToWorker) => this.#receive(message));
    if (this.#setup.isLocked) this.#send({ kind: "loaded" });
    else this.#open();
  }

  #open(): void {
    try {
      this.#database = StoreDatabase.open(this.#store, this.#setup);
      this.#reserve.allocate();
      this.#send({ kind: "opened", usedBytes: this.#database.usedBytes });
    } catch (error) {
      this.#send({ kind: "failed", error: serializeError(this.#store.faults, this.#setup.path, error) });
    }
  }

  #receive(message: ToWorker): void {
    if (message.kind === "open") this.#open();
    else if (message.kind === "requests") this.#add(message.requests);
    else if (message.kind === "close") this.#close();
    else if (message.kind !== "end") this.#setHeld(message);
    else if (this.#canEnd()) this.#close();
    else this.#send({ kind: "needed" });
  }

  #close(): void {
    while (this.#queue.length > 0) this.#commitNext();
    this.#reopenLater();
    this.#send({ kind: "closed" });
    this.#port.close();
  }

  /**
   * Returns unused pages to the disk and moves the log into the file, so that opening it is little work. Returns false
   * if the thread is needed, also to return more pages.
   */
  #canEnd(): boolean {
    if (this.#queue.length > 0 || this.#isHeld || this.#database === undefined) return false;
    try {
      if (this.#shrink() > 0) return false;
      this.#database.emptyLog();
      return true;
    } catch {
      // The disk is full, or fails.
      return false;
    }
  }

  #add(requests: readonly Request[]): void {
    this.#queue.push(...requests);
    // Clients whose requests were committed together send their next ones together: one sync serves as
    // many as last time. A single request does not wait.
    if (this.#queue.length >= this.#lastGroup) this.#commitNext();
    else this.#commitIn(this.#setup.lingerMs);
  }

  #commitIn(ms: number): void {
    this.#timer ??= setTimeout(() => this.#commitNext(), ms);
  }

  #commitNext(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#drainPort();
    const group = this.#queue.splice(0, this.#groupSize());
    this.#lastGroup = group.length;
    if (group.length === 0) return;
    const result = this.#commit(group);
    const usedBytes = result.failure === undefined ? this.#database!.usedBytes : null;
    this.#send({ kind: "replies", replies: result.replies, usedBytes }, ownBuffersOf(result.replies));
    if (result.failure === undefined) this.#maintain(group);
    if (this.#queue.length > 0) this.#commitIn(0);
  }

  /** Returns how many of the waiting requests the next commit takes: at least one. */
  #groupSize(): number {
    let bytes = 0;
    const over = this.#queue.findIndex((request, i) => {
      bytes += request.bytes;
      return i > 0 && (i === maxGroup || bytes > this.#setup.maxWalBytes / 2);
    });
    return over === -1 ? this.#queue.length : over;
  }

  /** Adds the requests which arrived during the last commit. */
  #drainPort(): void {
    for (;;) {
      const next = receiveMessageOnPort(this.#port);
      if (next === undefined) return;
      const message = next.message as ToWorker;
      if (message.kind === "requests") this.#queue.push(...message.requests);
      else setImmediate(() => this.#receive(message));
    }
  }

  #commit(group: readonly Request[]): GroupResult {
    const { path } = this.#setup;
    try {
      this.#database ??= StoreDatabase.open(this.#store, this.#setup);
    } catch (error) {
      const note = serializeError(this.#store.faults, path, error);
      return { replies: group.map(({ id }) => ({ id, error: note })), failure: error };
    }
    const context = { store: this.#store, db: this.#database, path };
    const result = commitGroup(context, group);
    if (result.failure === undefined) return result;
    if (!isDiskFull(result.failure)) {
      this.#reopenLater();
      return result;
    }
    this.#reserve.release();
    const rest = commitOnFullDisk(context, group, result.failure);
    if (rest.failure !== undefined) this.#reopenLater();
    return rest;
  }

  /**
   * Closes the database, and the next request opens it again: after an I/O error the memory may differ
   * from the disk.
   */
  #reopenLater(): void {
    try {
      this.#database?.[Symbol.dispose]();
    } catch {
      // Nothing is lost: the log is read again when the file is opened.
    }
    this.#database = undefined;
  }

  #setHeld({ id, kind }: HoldRequest): void {
    try {
      this.#database ??= StoreDatabase.open(this.#store, this.#setup);
      this.#isHeld = kind === "hold";
      if (this.#isHeld) this.#database.holdFile();
      else this.#database.releaseFile();
      this.#send({ kind: "replies", replies: [{ id, value: undefined }], usedBytes: null });
    } catch (error) {
      this.#isHeld = false;
      const note = serializeError(this.#store.faults, this.#setup.path, error);
      // The settings of the file for copying end with its connection.
      this.#reopenLater();
      this.#send({ kind: "replies", replies: [{ id, error: note }], usedBytes: null });
    }
  }

  /** Keeps the log short and the reserve allocated. Runs between commits. */
  #maintain(group: readonly Request[]): void {
    this.#walBytes += commitBytes;
    for (const { bytes } of group) this.#walBytes += bytes;
    if (this.#isHeld) return;
    const isIdle = this.#queue.length === 0;
    const { maxWalBytes } = this.#setup;
    try {
      if (group.some(({ name }) => name === "prune")) this.#shrink();
      if (this.#walBytes < (isIdle ? maxWalBytes / 2 : maxWalBytes)) return;
      this.#walBytes = 0;
      this.#database?.exec("PRAGMA wal_checkpoint(PASSIVE)");
      this.#reserve.allocate();
    } catch (error) {
      if (!isDiskFull(error)) this.#reopenLater();
    }
  }

  /** Returns pages to the disk, some at a time, when more than a quarter of the file is unused; returns how many. */
  #shrink(): number {
    const database = this.#database;
    if (database === undefined || database.unusedBytes * 3 < database.usedBytes) return 0;
    const pages = database.shrink(maxShrinkPages);
    this.#walBytes += pages * pageBytes;
    return pages;
  }

  #send(message: FromWorker, transfer: readonly ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transfer);
  }
}
