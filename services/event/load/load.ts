import { backoffMs, type Delays } from "../../../base/async/backoff.ts";
import type { Clock } from "../../../base/async/clock.ts";
import type { DeadLetterBatch } from "../../../store/deadletters/deadletters.ts";
import {
  type EventStore,
  EventsMemoryError,
  EventsUnavailableError,
  type LoadBatch,
  type SpoolPlace,
} from "../../../store/events/events.ts";
import type { RecordReader } from "../../../store/records/records.ts";
import type { NameLimits, NameRates } from "../record/name-book.ts";
import { AdaptiveBatchSize } from "./adaptive-batch-size.ts";
import { BatchStart } from "./batch-start.ts";
import { prepareAhead } from "./batches-ahead.ts";
import { FailingLines } from "./failing-lines.ts";
import { createFlushes } from "./flushes.ts";
import { type LimitObserver, LimitReports } from "./limit-reports.ts";
import { type PrepareWorker, PrepareWorkerDiedError } from "./prepare-client.ts";
import {
  comparePlaces,
  type PreparedBatch,
  type PrepareStart,
  type ProjectStart,
  type WrittenBatch,
} from "./prepared.ts";
import { clearStaging, removeRows } from "./staging.ts";

export interface LoaderOptions {
  readonly store: Pick<EventStore, "schema" | "loadedTo" | "load">;
  readonly reader: RecordReader;
  /** Zones of all configured projects, by id. */
  readonly zones: ReadonlyMap<number, string>;
  /** Properties of events, and of users, in each project. Default: no limit. */
  readonly maxProperties?: number;
  /** Limits of new names in each project. Default: none. */
  readonly names?: NameLimits;
  /** Starts the prepare thread; called at the start and after each crash. */
  readonly startWorker: () => PrepareWorker;
  /** Folder of the files of prepared rows. */
  readonly stagingFolder: string;
  /** Stores refused records. Called again with those of a batch that is prepared again. */
  readonly keepDeadLetters: (deadLetters: DeadLetterBatch) => Promise<void>;
  readonly limits: LoadLimits;
  readonly delays: Delays;
  readonly observer: LoadObserver;
  readonly clock: Pick<Clock, "now" | "monotonicMs" | "wait">;
}

export interface LoadLimits {
  /** Records of one batch. Lines are not split. */
  readonly maxRecords: number;
  readonly maxBytes: number;
  /** Bytes of a batch in a burst, see BatchStart. */
  readonly burstBytes: number;
  /** Time between the beginnings of two batches which are neither full nor part of a burst, see BatchStart. */
  readonly batchMs: number;
}

export interface LoadObserver extends LimitObserver {
  /** Called when the records of a batch can be queried. */
  loaded(prepared: PreparedBatch, times: { readonly loadMs: number; readonly delayMs: number }): void;
  /** Called when the intake fits the store, so that records can be loaded: at the start, and after each failure. */
  began?(): void;
  /** Called when loading failed. It is retried after `delayMs`. */
  failed(error: unknown, delayMs: number): void;
}

export interface Loader extends AsyncDisposable {
  /** Resolves when all records that were in the spool before the call can be queried. */
  flush(signal: AbortSignal): Promise<void>;
  /** Returns the bytes of the records that cannot be queried yet. */
  waitingBytes(): Promise<number>;
  /** Returns the rates of new names of the loaded records. */
  rates(projectId: number): NameRates | undefined;
}

/** Starts to load the records of a spool into the store, each once. Disposing of it loads what is prepared. */
export function openLoader(options: LoaderOptions): Loader {
  return new SpoolLoader(options);
}

class SpoolLoader implements Loader {
  readonly #options: LoaderOptions;
  readonly #stop = new AbortController();
  readonly #failingLines = new FailingLines();
  readonly #flushes = createFlushes();
  readonly #limitReports: LimitReports;
  /** Rates after the loaded batches, by project. */
  readonly #rates = new Map<number, NameRates>();
  readonly #size: AdaptiveBatchSize;
  readonly #start: BatchStart;
  readonly #running: Promise<void>;
  #worker: PrepareWorker | undefined;
  /** Ends when the files of the last loaded batch are removed. */
  #removing = Promise.resolve();
  #waker = new AbortController();
  #faults = 0;

  constructor(options: LoaderOptions) {
    this.#options = options;
    this.#limitReports = new LimitReports(options.observer);
    this.#size = new AdaptiveBatchSize(options.limits.maxRecords);
    this.#start = new BatchStart({ ...options.limits, clock: options.clock });
    this.#running = this.#run();
  }

  async flush(signal: AbortSignal): Promise<void> {
    const flushed = this.#flushes.add(await this.#options.reader.end(), signal);
    this.#waker.abort();
    await flushed;
  }

  rates(projectId: number): NameRates | undefined {
    return this.#rates.get(projectId);
  }

  async waitingBytes(): Promise<number> {
    const { reader, store } = this.#options;
    return await reader.bytesAfter(store.loadedTo() ?? (await reader.start()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#waker.abort();
    await this.#running;
    await this.#worker?.[Symbol.asyncDispose]();
    this.#worker = undefined;
  }

  async #run(): Promise<void> {
    const { observer, clock } = this.#options;
    while (!this.#stop.signal.aborted) {
      try {
        await this.#session();
      } catch (error) {
        if (error instanceof PrepareWorkerDiedError) this.#worker = undefined;
        const delayMs = this.#delayMs();
        observer.failed(error, delayMs);
        await clock.wait(delayMs, this.#stop.signal);
      }
    }
  }

  /**
   * Loads from the place that the store has reached until something fails. Prepares the next batches while one is
   * loaded.
   */
  async #session(): Promise<void> {
    const { store, reader, stagingFolder } = this.#options;
    await clearStaging(stagingFolder);
    const loadedTo = store.loadedTo();
    this.#worker ??= this.#options.startWorker();
    await this.#worker.reset({ loadedTo, projects: this.#projectStarts(), ...this.#limit() });
    this.#options.observer.began?.();
    const start = loadedTo ?? (await reader.start());
    this.#flushes.loaded(start);
    const session = new AbortController();
    const end = AbortSignal.any([session.signal, this.#stop.signal]);
    const ahead = prepareAhead(start, (from, hasEarlier) => this.#prepareNext(from, hasEarlier, end));
    try {
      for (let next = await ahead.take(); next !== undefined; next = await ahead.take()) {
        await next.committed;
        await this.#load(next);
      }
    } finally {
      session.abort();
      this.#waker.abort();
      await ahead.ended();
      await this.#removing;
    }
  }

  #limit(): Pick<PrepareStart, "maxProperties" | "names"> {
    const { maxProperties, names } = this.#options;
    return { ...(maxProperties !== undefined && { maxProperties }), ...(names !== undefined && { names }) };
  }

  #projectStarts(): ReadonlyMap<number, ProjectStart> {
    const { zones, store } = this.#options;
    return new Map(
      Array.from(zones, ([id, zone]) => [id, { schema: store.schema(id), zone, rates: this.#rates.get(id) }]),
    );
  }

  /** Prepares the next batch; undefined if it was stopped before there were records. */
  async #prepareNext(
    from: SpoolPlace,
    hasEarlier: () => boolean,
    end: AbortSignal,
  ): Promise<WrittenBatch | undefined> {
    const { reader, limits } = this.#options;
    await this.#waitForRecords(from, hasEarlier, end);
    if (end.aborted) return undefined;
    const chunk = await reader.read(from, limits.maxBytes);
    this.#start.begun();
    // A file may end with an incomplete line, which was never acknowledged.
    if (chunk === undefined)
      throw new Error(`the spool has no complete line after file ${from.number} offset ${from.offset}`);
    try {
      return await this.#worker!.prepare(this.#failingLines.narrow(chunk, this.#size.records));
    } catch (error) {
      if (error instanceof PrepareWorkerDiedError && error.lineOffset !== undefined) {
        this.#failingLines.workerDied({ number: chunk.from.number, offset: error.lineOffset });
      }
      throw error;
    }
  }

  /** Waits until the next batch begins, a flush waits, or the loader is stopped. */
  async #waitForRecords(from: SpoolPlace, hasEarlier: () => boolean, end: AbortSignal): Promise<void> {
    const { reader, clock } = this.#options;
    for (;;) {
      const waker = new AbortController();
      this.#waker = waker;
      if (end.aborted) return;
      const grown = reader.grown();
      const spoolEnd = await reader.end();
      const waitingBytes = await reader.bytesAfter(from);
      if (waitingBytes === 0) this.#flushes.nothingBetween(from, spoolEnd);
      else if (this.#flushes.isWaiting()) return;
      const waitMs = this.#start.waitMs({
        waitingBytes,
        spoolEnd,
        isWriting: reader.isWriting(),
        hasEarlier: hasEarlier(),
      });
      if (waitMs <= 0) return;
      if (waitingBytes === 0) void grown.then(() => waker.abort());
      await clock.wait(waitMs, waker.signal);
    }
  }

  async #load(prepared: PreparedBatch): Promise<void> {
    const { observer, clock, keepDeadLetters } = this.#options;
    if (prepared.deadLetters !== undefined) await keepDeadLetters(prepared.deadLetters);
    const startMs = clock.monotonicMs();
    await this.#loadWithRetries(prepared);
    for (const [projectId, rates] of prepared.rates ?? []) this.#rates.set(projectId, rates);
    const { to } = prepared.batch;
    this.#faults = 0;
    this.#size.grow();
    this.#failingLines.loaded(to);
    this.#flushes.loaded(to);
    const nowMs = clock.now();
    const delayMs = Math.max(0, nowMs - Math.min(prepared.firstReceivedMs, nowMs));
    observer.loaded(prepared, { loadMs: clock.monotonicMs() - startMs, delayMs });
    this.#limitReports.loaded(prepared);
    await this.#removing;
    this.#removing = this.#remove(prepared.batch);
  }

  /** Removes what a load leaves. Files that cannot be deleted now are deleted later, or at the next start. */
  async #remove(batch: LoadBatch): Promise<void> {
    const { reader, observer, limits } = this.#options;
    const failed = (error: unknown) => observer.failed(error, limits.batchMs);
    await removeRows(batch).catch(failed);
    await reader.release(batch.to).catch(failed);
  }

  /** Loads a batch. Retries while the store is unavailable; other failures make the next batch smaller. */
  async #loadWithRetries(prepared: PreparedBatch): Promise<void> {
    const { store, observer, clock } = this.#options;
    for (;;) {
      try {
        await store.load(prepared.batch);
        return;
      } catch (error) {
        const loadedTo = store.loadedTo();
        // The load failed after the commit.
        if (loadedTo !== undefined && comparePlaces(loadedTo, prepared.batch.to) >= 0) return;
        if (error instanceof EventsMemoryError && this.#size.halve(prepared)) {
          // A smaller batch can be loaded at once.
          this.#faults = 0;
          throw error;
        }
        if (!(error instanceof EventsUnavailableError)) this.#failingLines.loadFailed(prepared);
        if (!(error instanceof EventsUnavailableError) || this.#stop.signal.aborted) throw error;
        const delayMs = this.#delayMs();
        observer.failed(error, delayMs);
        await clock.wait(delayMs, this.#stop.signal);
        if (this.#stop.signal.aborted) throw error;
      }
    }
  }

  /** Returns the delay, which doubles with each failure since the last load. */
  #delayMs(): number {
    this.#faults++;
    return backoffMs(this.#faults, this.#options.delays);
  }
}
