import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { systemClock } from "../../../base/async/clock.ts";
import { createPause, type Pause } from "../../../base/async/pause.ts";
import type { FileOwner, Release } from "../../../base/files/file-holds.ts";
import { workerUrl } from "../../../base/package/root.ts";
import { maxPropertiesOf, minFreeBytesOf, nameLimitsOf } from "../../../services/event/config.ts";
import {
  type Loader,
  type LoadLimits,
  type LoadObserver,
  openLoader,
} from "../../../services/event/load/load.ts";
import { createPrepareWorker, type PrepareWorker } from "../../../services/event/load/prepare-client.ts";
import { createProgress } from "../../../services/event/load/worker-messages.ts";
import type { PendingRecords } from "../../../services/event/pending.ts";
import { withWatches } from "../../../services/event/watch/loading.ts";
import type { RecordWatches } from "../../../services/event/watch/watch.ts";
import type { DeadLetters } from "../../../store/deadletters/deadletters.ts";
import type { DuckDbStore } from "../../../store/events/duckdb/duckdb.ts";
import type { EventStore } from "../../../store/events/events.ts";
import { createFreeSpaceCheck } from "../../../store/records/free-space.ts";
import { createRecordReader } from "../../../store/records/record-reader.ts";
import { openRecordSpool, type RecordSpool } from "../../../store/records/record-spool.ts";
import type { RecordReader, RecordSink } from "../../../store/records/records.ts";
import { createSegmentsThread } from "../../../store/records/segments-thread.ts";
import type { SegmentsSetup } from "../../../store/records/serve-segments.ts";
import type { Config } from "../../config/config.ts";
import type { LoadWorkerSetup } from "./load-worker.ts";
import { openEventMarks } from "./marks.ts";
import { eventFolders, openEmbeddedStore } from "./store.ts";
import { watchLoading } from "./watch.ts";

/** Loads records from the spool into the store. The data folder must be locked. */
export interface EventLoading extends AsyncDisposable, FileOwner {
  readonly store: DuckDbStore;
  readonly loader: Loader;
  /** Appends a record to the spool. */
  readonly append: RecordSink["append"];
  readonly pending: PendingRecords;
  /** Appends many records, each with its LF. */
  readonly appendLines: RecordSpool["appendLines"];
  /** Checks that records can be stored. @throws RecordsUnavailableError if not */
  readonly admit: (bytes: number) => void;
  /** Returns the delay of loading in milliseconds, see LoadWatch. */
  readonly lagMs: () => number;
  /** See EventWatch. */
  readonly recordBytes: () => number | undefined;
  readonly fault: () => string | undefined;
  /** Returns the number of bytes in the spool that cannot be queried yet. */
  waitingBytes(): Promise<number>;
}

export interface EventLoadingPorts {
  readonly deadLetters: Pick<DeadLetters, "append" | "flush">;
  readonly observer: LoadObserver;
  readonly watches?: RecordWatches;
  /** Called with the bytes of an incomplete line, see RecordSpoolOptions. */
  readonly torn: (file: string, bytes: number) => void;
  /** Called with a description of a change since the last run that is no loss. */
  readonly changed: (description: string) => void;
  /** Limits for many records at once. Configured limits apply if they are larger. */
  readonly bulk?: BulkLimits;
}

/** Limits of bulk loading. Larger batches take less time for each record, and more memory. */
export interface BulkLimits {
  readonly maxRecords: number;
  readonly maxBytes: number;
  /** The number of accounts, and of visitors, that are kept in memory. */
  readonly maxCachedIds: number;
}

/**
 * The size of the young generation. Parsed records are discarded at once; with more space, garbage collection is rarer.
 */
const youngGenerationMib = 96;
export const loadDelays = { minDelayMs: 500, maxDelayMs: 60_000 };
/** The size of the young generation of a thread that only writes. */
const spoolYoungGenerationMib = 2;
const loadWorkerUrl = workerUrl("cmd/serve/event/load-worker");
const spoolWorkerUrl = workerUrl("cmd/serve/event/spool-worker");

/**
 * Opens the store and the spool of the data folder, and begins to load.
 * @throws UserError when the store can't be opened
 */
export async function openEventLoading(config: Config, ports: EventLoadingPorts): Promise<EventLoading> {
  await using opened = new AsyncDisposableStack();
  const { spool: settings, batch } = config.events;
  const { bulk } = ports;
  const { spool: folder, staging: stagingFolder } = eventFolders(config);
  const store = opened.use(await openEmbeddedStore(config));
  const marks = opened.use(await openEventMarks(config, store, ports.changed));
  mkdirSync(stagingFolder, { recursive: true, mode: 0o700 });
  const admit = createAdmit(stagingFolder, settings);
  const spool = opened.use(
    openRecordSpool({
      folder,
      admit,
      maxFileBytes: settings.maxFileBytes,
      checksums: true,
      // A new spool must not begin at a place that the store takes for loaded.
      after: store.loadedTo(),
      torn: ports.torn,
      mark: marks.spool,
      segments: createSegmentsThread(startSpoolWorker),
    }),
  );
  const reader = createRecordReader({ folder, spool, releasing: marks.releasing });
  const preparing = createPause();
  const watch = opened.use(await watchLoading(config, { ...reader, loadedTo: store.loadedTo }));
  const loader = opened.use(
    openLoader({
      stagingFolder,
      delays: loadDelays,
      ...withWatches(ports.watches, {
        observer: watch.observe(ports.observer),
        startWorker: () =>
          pausedBy(preparing, startWorker(workerSetup(config, stagingFolder, bulk?.maxCachedIds))),
      }),
      clock: systemClock,
      store: { ...store, load: marks.load },
      maxProperties: maxPropertiesOf(config.events),
      names: nameLimitsOf(config.events),
      reader: releaseSettled(reader, store),
      zones: new Map(config.projects.map(({ id, zone }) => [id, zone])),
      limits: loadLimitsOf(batch, bulk),
      async keepDeadLetters(deadLetters) {
        ports.deadLetters.append(deadLetters);
        await ports.deadLetters.flush();
      },
    }),
  );
  const stack = opened.move();
  return {
    store,
    loader,
    admit,
    append: spool.append,
    appendLines: spool.appendLines,
    lagMs: watch.lagMs,
    recordBytes: watch.recordBytes,
    fault: watch.fault,
    pending: { ...reader, loadedTo: store.loadedTo },
    waitingBytes: () => loader.waitingBytes(),
    hold: () => holdFiles(preparing, store),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The part of a full batch that begins a batch in a burst. */
const burstPart = 1 / 8;
/** Smaller parts of bursts would take more processor time for each record. */
const minBurstBytes = 2 ** 20;

/** Returns the limits of loading. Bulk loading has no parts of bursts, since no query waits for its records. */
export function loadLimitsOf(batch: Config["events"]["batch"], bulk: BulkLimits | undefined): LoadLimits {
  const maxBytes = Math.max(batch.maxBytes, bulk?.maxBytes ?? 0);
  const partBytes = Math.max(maxBytes * burstPart, minBurstBytes);
  return {
    maxRecords: Math.max(batch.maxRecords, bulk?.maxRecords ?? 0),
    maxBytes,
    burstBytes: bulk === undefined ? Math.min(partBytes, maxBytes) : maxBytes,
    batchMs: batch.maxDelayMs,
  };
}

/** The limit is read for each record, since a reload may change it. */
function createAdmit(folder: string, settings: Config["events"]["spool"]): EventLoading["admit"] {
  return createFreeSpaceCheck({ folder, minFreeBytes: () => minFreeBytesOf(settings) });
}

/**
 * Returns a reader that keeps the records which a damaged log of the store would lose, so that they can be loaded
 * again.
 */
function releaseSettled(reader: RecordReader, store: EventStore): RecordReader {
  return {
    ...reader,
    async release() {
      const settledTo = store.settledTo();
      if (settledTo !== undefined) await reader.release(settledTo);
    },
  };
}

function workerSetup(
  config: Config,
  stagingFolder: string,
  maxCachedIds: number | undefined,
): LoadWorkerSetup {
  const { uuidWindow, engine } = config.events;
  return {
    intake: {
      path: join(config.data, "events", "intake.db"),
      uuidWindowMs: uuidWindow.ms,
      maxUuids: uuidWindow.maxUuids,
      ...(maxCachedIds !== undefined && { maxCachedIds }),
    },
    stagingFolder,
    eventFormat: "columns",
    progress: createProgress(),
    niceness: engine.niceness,
  };
}

function startSpoolWorker(setup: SegmentsSetup): Worker {
  const resourceLimits = { maxYoungGenerationSizeMb: spoolYoungGenerationMib };
  return new Worker(spoolWorkerUrl, { workerData: setup, name: "engage-spool", resourceLimits });
}

/** Holds the intake first: it may have prepared more than the store has loaded, and never less. */
async function holdFiles(preparing: Pause, store: DuckDbStore): Promise<Release> {
  const resume = await preparing.hold();
  const release = await store.hold();
  return async () => {
    release();
    resume();
  };
}

/** Returns a worker whose calls, which write the intake, wait during the pause. */
function pausedBy(pause: Pause, worker: PrepareWorker): PrepareWorker {
  return {
    reset: (start) => pause.run(() => worker.reset(start)),
    prepare: (task) =>
      pause.run(async () => {
        const batch = await worker.prepare(task);
        await batch.committed;
        return batch;
      }),
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}

/** Starts a thread that prepares records. */
export function startWorker(setup: LoadWorkerSetup): PrepareWorker {
  const resourceLimits = { maxYoungGenerationSizeMb: youngGenerationMib };
  const worker = new Worker(loadWorkerUrl, { workerData: setup, name: "engage-load", resourceLimits });
  return createPrepareWorker(worker, setup.progress);
}
