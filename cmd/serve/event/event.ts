import { join } from "node:path";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { Logger } from "pino";
import { systemClock } from "../../../base/async/clock.ts";
import { loadOnce } from "../../../base/async/load-once.ts";
import { createFileHolds, type FileHolds } from "../../../base/files/file-holds.ts";
import type { Registry } from "../../../base/metrics/prom-client.ts";
import type { RestCodecs } from "../../../base/rpc/rest-codec.ts";
import type { Tracer } from "../../../base/trace/trace.ts";
import type { ReadyCheck } from "../../../gateway/health/ready-checks.ts";
import { EventCollector } from "../../../gen/engage/event/v1/event_collector_pb.ts";
import type { RecordWatcher } from "../../../gen/engage/event/v1/record_watcher_pb.ts";
import { createSdkAdmit } from "../../../services/event/admit.ts";
import { maxPropertiesOf, nameLimitsOf } from "../../../services/event/config.ts";
import type { Collection } from "../../../services/event/event.ts";
import type { LoadTraces } from "../../../services/event/load/load-traces.ts";
import { eventCodecs } from "../../../services/event/rest-codecs.ts";
import { encodeSpoolLine } from "../../../services/event/spool-line.ts";
import { createRecordWatches, type RecordWatches } from "../../../services/event/watch/watch.ts";
import { createRecordWatcher } from "../../../services/event/watch/watcher.ts";
import type { EventLag } from "../../../services/operations/settings/settings.ts";
import type { EventStore } from "../../../store/events/events.ts";
import type { RecordSink } from "../../../store/records/records.ts";
import { systemPorts } from "../../../store/sql/persistent-clock.ts";
import type { Config } from "../../config/config.ts";
import { openDeadLetters } from "../data/dead-letters.ts";
import { lockFolder } from "../data/lock.ts";
import { createSharedClock, openSteadyClock, type SteadyClock } from "../data/steady-clock.ts";
import type { Replays } from "../dead-letters.ts";
import { tooLarge, traceOf } from "../gateway-ports.ts";
import { createLateService, type Gate, gateService } from "../lazy.ts";
import { createEventMetrics, registerLagGauges, registerQueryGauges } from "../metrics/event.ts";
import type { FindParts } from "../metrics/shared.ts";
import { eventsDatabase, sharedDatabase } from "../shared/databases.ts";
import type { SharedStores } from "../shared/stores.ts";
import type { EventBackend } from "./backend.ts";
import { type BackendPorts, openEmbeddedEvents } from "./embedded.ts";
import { readEventLag } from "./lag.ts";

export interface EventServices extends AsyncDisposable {
  readonly collector: ServiceImpl<typeof EventCollector>;
  readonly watcher: ServiceImpl<typeof RecordWatcher>;
  readonly replay: Exclude<Replays["records"], string>;
  /** Ends the watches. */
  beginStop(): void;
  /** Admits calls by app id before their bodies are read. */
  readonly admit: ReturnType<typeof createSdkAdmit>;
  /** The REST forms of its messages. */
  readonly codecs: RestCodecs;
  readonly checks: Readonly<Record<string, ReadyCheck>>;
  /** The servers of the store; undefined for the data folder. */
  readonly parts: FindParts | undefined;
  /** Opened by the first call that needs it. */
  readonly store: EventStore;
  /** Waits until the schema of the store is known. @throws EventsUnavailableError */
  readonly gate: Gate;
  /** Returns a warning while acknowledged records are not loaded within the configured time. */
  readonly lateness: () => string | undefined;
  /** Measures the records that cannot be queried yet; undefined while their state is unknown. */
  readonly lag: () => Promise<EventLag | undefined>;
  /** Returns the sink for records that services create; the loader checks them. */
  sinkOf(projectId: number): Pick<RecordSink, "append">;
}

interface Surroundings {
  readonly logger: Logger;
  readonly registry: Registry;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What replicas share; undefined when all is in the data folder. */
  readonly shared?: SharedStores | undefined;
  readonly tracer?: Tracer | undefined;
  /** Lets the files of the data folder be copied while they are open. */
  readonly holds?: FileHolds | undefined;
}

/**
 * Opens the event collector.
 * @throws UserError when another process uses the data folder
 */
export async function openEventServices(
  config: Config,
  { logger, registry, now, shared, tracer, holds = createFileHolds() }: Surroundings,
): Promise<EventServices> {
  await using opened = new AsyncDisposableStack();
  const metrics = createEventMetrics(registry);
  if (config.projects.length > 0) opened.use(lockFolder(join(config.data, "events")));
  const clock = config.projects.length > 0 ? opened.use(openClock(config, now, shared)) : undefined;
  const deadLetters = opened.use(await openRefusedRecords(config, metrics, logger));
  const { watches, watcher, beginStop } = createWatching(config);
  let pendingOf: EventBackend["pending"] = () => undefined;
  const traces = await createTraces(tracer, (projectId) => pendingOf(projectId), now);
  const ports = { deadLetters, metrics, logger, clock, watches, holds, loaded: traces?.loaded };
  const backend = opened.use(
    shared !== undefined && config.events.driver === "clickhouse"
      ? await (await import("./shared.ts")).openSharedEvents(config, { ...ports, shared })
      : await openEmbeddedEvents(config, ports),
  );
  const { store, append } = backend;
  pendingOf = backend.pending;
  const lag = (): Promise<EventLag | undefined> => readEventLag(backend.progress());
  registerLagGauges(registry, lag);
  registerQueryGauges(registry, store.queryCounts);
  const collection = createLateCollection(config, { ...ports, backend, now, traces });
  const collector = createLateService(EventCollector, async () => (await collection()).collector);
  const stack = opened.move();
  return {
    collector: gateService(
      EventCollector,
      collector,
      () => backend.recordGate()?.catch(refuse),
      gatedMethods,
    ),
    watcher,
    async replay(letter) {
      await backend.recordGate()?.catch(refuse);
      return await (await collection()).replay(letter);
    },
    beginStop,
    admit: createSdkAdmit({
      appids: new Set(config.projects.flatMap(({ appids }) => appids)),
      observer: metrics.collect,
      tooLarge,
    }),
    codecs: eventCodecs,
    checks: config.projects.length === 0 ? {} : backend.checks,
    parts: backend.parts,
    gate: backend.gate,
    store,
    lateness: createLateness(config, backend.progress),
    lag,
    sinkOf: (projectId) => ({
      append: (record) =>
        append(encodeSpoolLine(projectId, now(), record, undefined, clock?.driftMs()), projectId),
    }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

interface CollectionParts extends Pick<BackendPorts, "deadLetters" | "metrics" | "clock" | "watches"> {
  readonly backend: EventBackend;
  readonly now: () => number;
  readonly traces: LoadTraces | undefined;
}

/** Loads the code that accepts records with the first one. */
function createLateCollection(
  { projects, events }: Config,
  { backend, deadLetters, metrics, clock, watches, now, traces }: CollectionParts,
): () => Promise<Collection> {
  return loadOnce(async () => {
    const { createCollection } = await import("../../../services/event/event.ts");
    return createCollection({
      projects,
      append: backend.append,
      deadLetters,
      observer: metrics.collect,
      watches,
      now,
      ...(clock !== undefined && { driftMs: clock.driftMs }),
      schema: backend.store.schema,
      pending: backend.pending,
      rates: backend.rates,
      maxProperties: maxPropertiesOf(events),
      names: nameLimitsOf(events),
      tracing: traces && { ...traces, traceOf },
    });
  });
}

/** Loads the code for traces only where calls are traced. */
async function createTraces(
  tracer: Tracer | undefined,
  pending: EventBackend["pending"],
  now: () => number,
): Promise<LoadTraces | undefined> {
  if (tracer === undefined) return undefined;
  const { createLoadTraces } = await import("../../../services/event/load/load-traces.ts");
  return createLoadTraces({ tracer, pending, now });
}

function openRefusedRecords(
  config: Config,
  metrics: ReturnType<typeof createEventMetrics>,
  logger: Logger,
): ReturnType<typeof openDeadLetters> {
  return openDeadLetters(config, config.events.deadLetters, {
    list: "events",
    database: eventsDatabase(config) ?? sharedDatabase(config),
    observer: {
      ...metrics.deadLetters,
      failed: (error) => logger.error({ err: error }, "could not write refused records"),
      resumed: () => logger.info("refused records are written again"),
    },
  });
}

interface Watching extends Pick<EventServices, "watcher" | "beginStop"> {
  readonly watches: RecordWatches;
}

function createWatching({ projects }: Config): Watching {
  const watches = createRecordWatches();
  const stopping = new AbortController();
  return {
    watches,
    watcher: createRecordWatcher({ watches, projects, stopping: stopping.signal, clock: systemClock }),
    beginStop: () => stopping.abort(),
  };
}

function openClock(config: Config, now: () => number, shared: SharedStores | undefined): SteadyClock {
  if (shared === undefined) return openSteadyClock(config, { ...systemPorts(), now });
  return createSharedClock({ ask: shared.records.clock, clock: { ...systemClock, now } });
}

/** The text stays the same while loading is late, so that cached responses with it can be used. */
function createLateness({ events }: Config, progress: EventBackend["progress"]): () => string | undefined {
  return () => {
    const maxMs = events.lag.warnMs + events.batch.maxDelayMs;
    if ((progress()?.lagMs() ?? 0) <= maxMs) return undefined;
    const seconds = Math.round(maxMs / 1_000);
    return `records acknowledged more than ${seconds} s ago are not loaded yet, so the response may be incomplete`;
  };
}

/** Methods that wait for the store, since their verdicts depend on what is stored. */
const gatedMethods = ["track", "trackStream", "ingest", "debugIngest"];

function refuse(error: unknown): never {
  const message = "the event store is temporarily unavailable";
  throw new ConnectError(message, Code.Unavailable, undefined, undefined, error);
}
