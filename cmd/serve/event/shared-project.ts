import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../base/async/clock.ts";
import { maxPropertiesOf, nameLimitsOf } from "../../../services/event/config.ts";
import { type Loader, type LoadObserver, openLoader } from "../../../services/event/load/load.ts";
import { comparePlaces } from "../../../services/event/load/prepared.ts";
import { createProgress } from "../../../services/event/load/worker-messages.ts";
import type { PendingRecords } from "../../../services/event/pending.ts";
import { withWatches } from "../../../services/event/watch/loading.ts";
import type { RecordWatches } from "../../../services/event/watch/watch.ts";
import type { DeadLetters } from "../../../store/deadletters/deadletters.ts";
import type { ClickHouseStore } from "../../../store/events/clickhouse/clickhouse.ts";
import type { Lease } from "../../../store/leases/leases.ts";
import type { PostgresSpool } from "../../../store/records/postgres/postgres-spool.ts";
import { readAhead } from "../../../store/records/read-ahead.ts";
import type { RecordPlace } from "../../../store/records/records.ts";
import type { Config } from "../../config/config.ts";
import type { SharedDatabase } from "../shared/databases.ts";
import { loadDelays, startWorker } from "./loading.ts";
import { eventFolders } from "./store.ts";
import { type EventWatch, watchLoading } from "./watch.ts";
import { repeatWhileWaiting, retryMs } from "./while-waiting.ts";

export interface SharedProjectOptions {
  readonly config: Config;
  readonly project: Config["projects"][number];
  readonly database: SharedDatabase;
  readonly spool: PostgresSpool;
  readonly deadLetters: DeadLetters;
  readonly observer: LoadObserver;
  readonly watches: RecordWatches;
}

/** The records of a project, which replicas append together and one of them loads. */
export interface SharedProject extends Disposable {
  readonly id: number;
  readonly pending: PendingRecords;
  /** Undefined when another process loads the project. */
  loader(): Loader | undefined;
  waitingBytes(): Promise<number>;
  lagMs(): number;
  /** See EventWatch. */
  recordBytes(): number | undefined;
  fault(): string | undefined;
  /** To be called with the end of the loaded records, after the schema of the store has been read. */
  loadedTo(place: RecordPlace | undefined): Promise<void>;
  /** Loads records under a lease until it is disposed of. */
  load(lease: Lease, store: ClickHouseStore): AsyncDisposable;
}

export function createSharedProject(options: SharedProjectOptions): SharedProject {
  const { config, project, spool } = options;
  const { reader } = spool;
  let loadedTo: RecordPlace | undefined;
  let loader: Loader | undefined;
  let watch: EventWatch | undefined;
  let loads = 0;
  const moveTo = (place: RecordPlace | undefined): boolean => {
    if (place === undefined || (loadedTo !== undefined && comparePlaces(place, loadedTo) <= 0)) return false;
    loadedTo = place;
    return true;
  };
  const pending: PendingRecords = { ...reader, loadedTo: () => loadedTo };
  const waitingBytes = async (): Promise<number> =>
    await reader.bytesAfter(loadedTo ?? (await reader.start()));
  return {
    id: project.id,
    pending,
    loader: () => loader,
    waitingBytes: async () => (await loader?.waitingBytes()) ?? (await waitingBytes()),
    lagMs: () => watch?.lagMs() ?? 0,
    recordBytes: () => watch?.recordBytes(),
    fault: () => watch?.fault(),
    async loadedTo(place) {
      if (moveTo(place)) watch?.moved();
      watch ??= await watchLoading(config, pending);
    },
    load(lease, store) {
      return repeatWhileWaiting({
        grown: reader.grown,
        waitingBytes,
        async open() {
          const loaded = (place: RecordPlace | undefined): void => {
            loads++;
            moveTo(place);
          };
          const observer = watch?.observe(options.observer) ?? options.observer;
          const opened = await openProjectLoader({ ...options, observer }, lease, store, loaded);
          loader = opened;
          return {
            async [Symbol.asyncDispose]() {
              loader = undefined;
              await opened[Symbol.asyncDispose]();
            },
          };
        },
        loads: () => loads,
        failed: (error) => options.observer.failed(error, retryMs),
        clock: systemClock,
      });
    },
    [Symbol.dispose]: () => watch?.[Symbol.dispose](),
  };
}

async function openProjectLoader(
  { config, project, database, spool, deadLetters, observer, watches }: SharedProjectOptions,
  lease: Lease,
  store: ClickHouseStore,
  loaded: (place: RecordPlace | undefined) => void,
): Promise<Loader> {
  const { batch, uuidWindow, engine } = config.events;
  const { id, zone } = project;
  const stagingFolder = join(eventFolders(config).staging, String(id));
  mkdirSync(stagingFolder, { recursive: true, mode: 0o700 });
  const target = await store.loaderOf(String(id), lease);
  // The schema is not older than what is loaded, so that no name gets another number.
  await store.refresh();
  const { url, schema } = database;
  const { name, token } = lease;
  // One replica may load all projects.
  const maxUuids = Math.floor(uuidWindow.maxUuids / config.projects.length);
  const fence = { name, token };
  const intake = { url, schema, spool: id, fence, uuidWindowMs: uuidWindow.ms, maxUuids };
  return openLoader({
    stagingFolder,
    delays: loadDelays,
    clock: systemClock,
    store: {
      ...target,
      async load(given) {
        lease.throwIfLost();
        const counts = await target.load(given);
        loaded(target.loadedTo());
        return counts;
      },
    },
    maxProperties: maxPropertiesOf(config.events),
    names: nameLimitsOf(config.events),
    reader: readAhead(spool.reader),
    zones: new Map([[id, zone]]),
    limits: {
      maxRecords: batch.maxRecords,
      maxBytes: batch.maxBytes,
      burstBytes: batch.maxBytes,
      batchMs: batch.maxDelayMs,
    },
    ...withWatches(watches, {
      observer,
      startWorker: () =>
        startWorker({
          intake,
          stagingFolder,
          shardCount: config.stores.clickhouse.shards.length,
          progress: createProgress(),
          niceness: engine.niceness,
        }),
    }),
    async keepDeadLetters(refused) {
      deadLetters.append(refused);
      await deadLetters.flush();
    },
  });
}
