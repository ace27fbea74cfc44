import { join } from "node:path";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { createSettledNow, systemClock } from "../../../base/async/clock.ts";
import type { RestCodecs } from "../../../base/rpc/rest-codec.ts";
import type { ReadyCheck } from "../../../gateway/health/ready-checks.ts";
import { EventCollector } from "../../../gen/engage/event/v1/event_collector_pb.ts";
import { createSdkAdmit } from "../../../services/event/admit.ts";
import { maxPropertiesOf, nameLimitsOf } from "../../../services/event/config.ts";
import { eventCodecs } from "../../../services/event/rest-codecs.ts";
import { encodeSpoolLine } from "../../../services/event/spool-line.ts";
import type { DeadLetters } from "../../../store/deadletters/deadletters.ts";
import {
  type EventStore,
  EventsMemoryError,
  EventsUnavailableError,
  emptySchema,
} from "../../../store/events/events.ts";
import { type RecordSink, RecordsUnavailableError } from "../../../store/records/records.ts";
import { systemPorts } from "../../../store/sql/persistent-clock.ts";
import type { Config } from "../../config/config.ts";
import { openDeadLetters } from "../data/dead-letters.ts";
import { lockFolder } from "../data/lock.ts";
import { createSharedClock, openSteadyClock, type SteadyClock } from "../data/steady-clock.ts";
import { tooLarge } from "../gateway-ports.ts";
import {
  createLateService,
  createLazyEventStore,
  createLazyResource,
  type Gate,
  gateService,
  type LazyResource,
} from "../lazy.ts";
import { createThrottle } from "../log/throttle.ts";
import {
  createEventMetrics,
  type EventMetrics,
  registerLagGauges,
  registerQueryGauges,
} from "../metrics/event.ts";
import { eventsDatabase, sharedDatabase } from "../shared/databases.ts";
import type { SharedStores } from "../shared/stores.ts";
import { startCompaction } from "./compaction.ts";
import type { EventLoading } from "./loading.ts";
import { findEventLosses, isIntakeLost } from "./losses.ts";
import { hasSpooledRecords, keepDaysOf } from "./store.ts";

export interface EventServices extends AsyncDisposable {
  readonly collector: ServiceImpl<typeof EventCollector>;
  /** Admits calls by app id before their bodies are read. */
  readonly admit: ReturnType<typeof createSdkAdmit>;
  /** The REST forms of its messages. */
  readonly codecs: RestCodecs;
  readonly checks: Readonly<Record<string, ReadyCheck>>;
  /** Opened by the first call that needs it. */
  readonly store: EventStore;
  /** Waits until the schema of the store is known. @throws EventsUnavailableError */
  readonly gate: Gate;
  /** Returns a warning while acknowledged records are not loaded within the configured time. */
  readonly lateness: () => string | undefined;
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
}

/**
 * Opens the event collector. Store and spool are opened by the first call that
 * needs them, or after the start when the spool holds records, so an idle server
 * does not need the 60 MiB of the engine.
 * @throws UserError when another process uses the data folder
 */
export async function openEventServices(
  config: Config,
  { logger, registry, now, shared }: Surroundings,
): Promise<EventServices> {
  await using opened = new AsyncDisposableStack();
  const metrics = createEventMetrics(registry);
  if (config.projects.length > 0 && config.events.driver === "clickhouse")
    logger.warn("events are stored in the data folder of this process, not in ClickHouse");
  if (config.projects.length > 0) opened.use(lockFolder(join(config.data, "events")));
  const clock = config.projects.length > 0 ? opened.use(openClock(config, now, shared)) : undefined;
  const deadLetters = opened.use(
    await openDeadLetters(config, config.events.deadLetters, {
      list: "events",
      database: eventsDatabase(config) ?? sharedDatabase(config),
      observer: {
        ...metrics.deadLetters,
        failed: (error) => logger.error({ err: error }, "could not write refused records"),
        resumed: () => logger.info("refused records are written again"),
      },
    }),
  );
  const loading = opened.use(
    createLazyResource(() => openLoading(config, { deadLetters, metrics, logger, clock })),
  );
  const open = (): Promise<EventLoading> =>
    loading.get().catch((error: unknown) => {
      logger.error({ err: error }, "could not open the event store");
      throw new EventsUnavailableError("the event store could not be opened", { cause: error });
    });
  registerLagGauges(registry, loading.peek);
  const store = createLazyEventStore(loading, async () => (await open()).store);
  registerQueryGauges(registry, store.queryCounts);
  if (config.projects.length > 0 && (await shouldOpen(config))) void open().catch(() => {});
  const append: RecordSink["append"] = async (line) => {
    const { append } = await open().catch((error: Error) => {
      throw new RecordsUnavailableError(error.message, { cause: error });
    });
    await append(line);
  };
  const collector = createLateService(EventCollector, async () => {
    const { createEventCollector } = await import("../../../services/event/event.ts");
    return createEventCollector({
      projects: config.projects,
      append,
      deadLetters,
      observer: metrics.collect,
      now,
      ...(clock !== undefined && { driftMs: clock.driftMs }),
      schema: (projectId) => loading.peek()?.store.schema(projectId) ?? emptySchema,
      pending: () => loading.peek()?.pending,
      rates: (projectId) => loading.peek()?.loader.rates(projectId),
      maxProperties: maxPropertiesOf(config.events),
      names: nameLimitsOf(config.events),
    });
  });
  const gate = (): Promise<unknown> | undefined => (loading.peek() === undefined ? open() : undefined);
  const stack = opened.move();
  return {
    collector: gateService(EventCollector, collector, () => gate()?.catch(refuse), gatedMethods),
    admit: createSdkAdmit({
      appids: new Set(config.projects.flatMap(({ appids }) => appids)),
      observer: metrics.collect,
      tooLarge,
    }),
    codecs: eventCodecs,
    checks: config.projects.length === 0 ? {} : { events: createCheck(loading, logger) },
    gate,
    store,
    lateness: createLateness(config, loading),
    sinkOf: (projectId) => ({
      append: (record) => append(encodeSpoolLine(projectId, now(), record, undefined, clock?.driftMs())),
    }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function openClock(config: Config, now: () => number, shared: SharedStores | undefined): SteadyClock {
  if (shared === undefined) return openSteadyClock(config, { ...systemPorts(), now });
  return createSharedClock({ ask: shared.records.clock, clock: { ...systemClock, now } });
}

/** The text stays the same while loading is late, so that cached responses with it can be used. */
function createLateness({ events }: Config, loading: Loading): () => string | undefined {
  const { warnMs } = events.lag;
  const maxMs = warnMs + events.batch.maxDelayMs;
  const seconds = Math.round(maxMs / 1_000);
  const message = `records acknowledged more than ${seconds} s ago are not loaded yet, so the response may be incomplete`;
  return () => ((loading.peek()?.lagMs() ?? 0) > maxMs ? message : undefined);
}

/** Methods that wait for the store, since their verdicts depend on what is stored. */
const gatedMethods = ["track", "trackStream", "ingest", "debugIngest"];

type Loading = LazyResource<EventLoading>;

function refuse(error: unknown): never {
  const message = "the event store is temporarily unavailable";
  throw new ConnectError(message, Code.Unavailable, undefined, undefined, error);
}

interface LoadingPorts {
  readonly deadLetters: DeadLetters;
  readonly metrics: EventMetrics;
  readonly logger: Logger;
  readonly clock: SteadyClock | undefined;
}

/** A clock that is wrong for less than this time does not delete events. */
const settleMs = 3_600_000;

async function openLoading(
  config: Config,
  { deadLetters, metrics, logger, clock }: LoadingPorts,
): Promise<EventLoading> {
  await using opened = new AsyncDisposableStack();
  const throttle = createThrottle(() => performance.now());
  const { openEventLoading } = await import("./loading.ts");
  const loading = opened.use(
    await openEventLoading(config, {
      deadLetters,
      observer: {
        loaded(prepared, times) {
          metrics.load.loaded(prepared, times);
          const lines = prepared.counts.refused.bad_line ?? 0;
          if (lines > 0) logger.error({ lines }, "lines of the spool are damaged and kept as dead letters");
        },
        failed(error, delayMs) {
          metrics.load.failed(error, delayMs);
          const line = throttle("load");
          const advice = error instanceof EventsMemoryError ? ", events.engine.memoryBytes is too small" : "";
          if (line !== undefined)
            logger.error({ err: error, delayMs, ...line }, `could not load events, will retry${advice}`);
        },
        overLimit(project, property) {
          const maxProperties = maxPropertiesOf(config.events);
          logger.warn(
            { project, property, maxProperties },
            "new properties are dropped: the project has reached events.maxProperties; engage store forget deletes unwanted names",
          );
        },
        limited({ projectId: project, reason, name }) {
          const { maxEventNames, maxNewNamesPerMinute } = config.events;
          if (reason === "event_limit") {
            const advice = "engage store forget deletes unwanted names";
            logger.warn(
              { project, event: name, maxEventNames },
              `events with new names are refused: the project has reached events.maxEventNames; ${advice}`,
            );
          } else {
            logger.warn(
              { project, name, maxNewNamesPerMinute },
              "new names of events and properties are refused: more than events.maxNewNamesPerMinute within a minute",
            );
          }
        },
      },
      changed: (description) =>
        logger.warn({ reason: description }, "files of events were changed by another program"),
      torn(file, bytes) {
        metrics.torn();
        logger.warn(
          { file, bytes },
          "removed an incomplete record at the end of the spool, which had not been acknowledged",
        );
      },
    }),
  );
  const settledNow = createSettledNow(systemClock, settleMs);
  opened.use(
    startCompaction({
      store: loading.store,
      keepDays: keepDaysOf(config),
      // A clock that was set forward never deletes events.
      now: () => Math.min(settledNow(), clock?.steadyMs() ?? Number.POSITIVE_INFINITY),
      done: (report) => logger.info(report, "compacted closed days"),
      failed(error) {
        metrics.compactFailed();
        logger.error({ err: error }, "could not compact closed days");
      },
    }),
  );
  const stack = opened.move();
  return { ...loading, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Reports whether records wait to be loaded, or the data folder has faults to report. */
async function shouldOpen(config: Config): Promise<boolean> {
  if ((await hasSpooledRecords(config)) || isIntakeLost(config)) return true;
  const { lost, changed } = await findEventLosses(config);
  return lost.length + changed.length > 0;
}

/** Passes while records are accepted. The reason names folders, so it is logged and left out of the response. */
function createCheck(loading: Loading, logger: Logger): ReadyCheck {
  let lastReason: string | undefined;
  const find = (): readonly [reason: string, status: string] | undefined => {
    try {
      loading.peek()?.admit(0);
    } catch (error) {
      return [(error as Error).message, "accepts no records"];
    }
    const fault = loading.peek()?.fault();
    return fault === undefined ? undefined : [fault, fault];
  };
  return async () => {
    // The reason was logged when it failed.
    if (loading.hasFailed()) return "accepts no records";
    const [reason, status] = find() ?? [];
    if (reason !== lastReason && reason !== undefined) logger.error({ reason }, "events are not ready");
    if (reason === undefined && lastReason !== undefined) logger.info("events are ready again");
    lastReason = reason;
    return status;
  };
}
