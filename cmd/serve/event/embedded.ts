import type { Logger } from "pino";
import type { FileHolds } from "../../../base/files/file-holds.ts";
import type { ReadyCheck } from "../../../gateway/health/ready-checks.ts";
import type { LoadObserver } from "../../../services/event/load/load.ts";
import type { RecordWatches } from "../../../services/event/watch/watch.ts";
import type { DeadLetters } from "../../../store/deadletters/deadletters.ts";
import type { ContentsReader } from "../../../store/events/contents.ts";
import { EventsUnavailableError } from "../../../store/events/events.ts";
import { RecordsUnavailableError } from "../../../store/records/records.ts";
import type { Config } from "../../config/config.ts";
import type { SteadyClock } from "../data/steady-clock.ts";
import { createLazyEventStore, createLazyResource, type LazyResource } from "../lazy.ts";
import type { EventMetrics } from "../metrics/event.ts";
import { serveContents } from "../move/contents-socket.ts";
import type { EventBackend } from "./backend.ts";
import { startUpkeep } from "./compaction.ts";
import { createLoadReports } from "./load-reports.ts";
import type { EventLoading } from "./loading.ts";
import { findEventLosses, isIntakeLost } from "./losses.ts";
import { hasSpooledRecords } from "./store.ts";

export interface BackendPorts {
  readonly deadLetters: DeadLetters;
  readonly metrics: EventMetrics;
  readonly logger: Logger;
  readonly clock: SteadyClock | undefined;
  readonly watches: RecordWatches;
  /** Called when records can be queried. */
  readonly loaded?: LoadObserver["loaded"] | undefined;
  readonly holds: FileHolds;
}

/**
 * Opens the events of the data folder. Store and spool are opened by the first call that
 * needs them, or after the start when the spool holds records, so an idle server
 * does not need the 60 MiB of the engine.
 */
export async function openEmbeddedEvents(config: Config, ports: BackendPorts): Promise<EventBackend> {
  const { logger, holds } = ports;
  const loading = createLazyResource(() => holds.own(() => openLoading(config, ports)));
  const open = (): Promise<EventLoading> =>
    loading.get().catch((error: unknown) => {
      logger.error({ err: error }, "could not open the event store");
      throw new EventsUnavailableError("the event store could not be opened", { cause: error });
    });
  if (config.projects.length > 0 && (await shouldOpen(config))) void open().catch(() => {});
  const gate = (): Promise<unknown> | undefined => (loading.peek() === undefined ? open() : undefined);
  const contents = await openContents(config, async () => (await open()).store, logger);
  return {
    store: createLazyEventStore(loading, async () => (await open()).store),
    gate,
    recordGate: gate,
    async append(line) {
      const { append } = await open().catch((error: Error) => {
        throw new RecordsUnavailableError(error.message, { cause: error });
      });
      await append(line);
    },
    pending: () => loading.peek()?.pending,
    rates: (projectId) => loading.peek()?.loader.rates(projectId),
    progress: loading.peek,
    checks: { events: createCheck(loading, logger) },
    async [Symbol.asyncDispose]() {
      await contents?.[Symbol.asyncDispose]();
      const opened = loading.peek();
      if (opened !== undefined) holds.disown(opened);
      await loading[Symbol.asyncDispose]();
    },
  };
}

/** Lets `engage store move` read the store. Without a socket, it moves the folder of a stopped server only. */
async function openContents(
  config: Config,
  open: () => Promise<ContentsReader>,
  logger: Logger,
): Promise<AsyncDisposable | undefined> {
  if (config.projects.length === 0) return undefined;
  try {
    return await serveContents(config, open);
  } catch (error) {
    logger.warn({ err: error }, "engage store move cannot read the events while this server runs");
    return undefined;
  }
}

type Loading = LazyResource<EventLoading>;

async function openLoading(config: Config, ports: BackendPorts): Promise<EventLoading> {
  const { deadLetters, metrics, logger, clock, watches, loaded } = ports;
  await using opened = new AsyncDisposableStack();
  const { openEventLoading } = await import("./loading.ts");
  const loading = opened.use(
    await openEventLoading(config, {
      deadLetters,
      observer: createLoadReports(config, metrics, logger, loaded),
      watches,
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
  opened.use(startUpkeep(config, loading.store, { metrics, logger, clock }));
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
