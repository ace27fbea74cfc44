import { systemClock } from "../../../base/async/clock.ts";
import { countBuffersAsHeap } from "../../../base/memory/external-memory.ts";
import { degraded, type ReadyCheck } from "../../../gateway/health/ready-checks.ts";
import type { LateClickHouseStore } from "../../../store/events/clickhouse/clickhouse.ts";
import { EventsUnavailableError } from "../../../store/events/events.ts";
import { RecordsUnavailableError } from "../../../store/records/records.ts";
import type { Config } from "../../config/config.ts";
import { createLazyEventStore, createLazyResource } from "../lazy.ts";
import { createThrottle } from "../log/throttle.ts";
import { eventsDatabase, type SharedDatabase } from "../shared/databases.ts";
import { divideLeases } from "../shared/lease-shares.ts";
import { type SharedStores, unfinishedMove } from "../shared/stores.ts";
import { doUnderLease } from "../shared/under-lease.ts";
import type { EventBackend } from "./backend.ts";
import { clickHouseOptions } from "./clickhouse.ts";
import { startUpkeep } from "./compaction.ts";
import type { BackendPorts } from "./embedded.ts";
import { createLoadReports } from "./load-reports.ts";
import { createSharedProject, type SharedProject } from "./shared-project.ts";

interface SharedPorts extends BackendPorts {
  readonly shared: SharedStores;
}

/** How often the progress of other replicas is read. */
const followMs = 1_000;
/**
 * Opens the events of servers that replicas share. A replica accepts records of all projects; of each project, the
 * holder of its lease loads them. Records are accepted while ClickHouse is unavailable.
 */
export async function openSharedEvents(config: Config, ports: SharedPorts): Promise<EventBackend> {
  // The driver of PostgreSQL receives a record in several buffers.
  countBuffersAsHeap();
  const { logger, shared } = ports;
  await using opened = new AsyncDisposableStack();
  const database = eventsDatabase(config)!;
  const throttle = createThrottle(() => performance.now());
  const store = opened.use(createLazyResource(() => openStore(config, database)));
  const open = (): Promise<LateClickHouse> =>
    store.get().catch((error: unknown) => {
      const line = throttle("store");
      if (line !== undefined) logger.error({ err: error, ...line }, "could not open the event store");
      throw unavailable(error);
    });
  const reports = createLoadReports(config, ports.metrics, logger, ports.loaded);
  const projects = new Map(
    config.projects.map((project) => {
      const { maxFileBytes: maxTableBytes } = config.events.spool;
      const spool = shared.records.open({ project: project.id, checksums: true, maxTableBytes });
      const { deadLetters, watches } = ports;
      const options = { config, project, database, spool, deadLetters, observer: reports, watches };
      return [project.id, { spool, shared: opened.use(createSharedProject(options)) }] as const;
    }),
  );
  const all = Array.from(projects.values(), (one) => one.shared);
  if (all.length > 0) opened.use(startWork({ open, all, config, ports }));
  const recordGate = (): Promise<unknown> | undefined => (store.peek() === undefined ? open() : undefined);
  const gate = async (): Promise<void> => {
    const { store: known } = await open();
    await known.ready();
    await known.refresh();
  };
  const stack = opened.move();
  return {
    store: createLazyEventStore(store, async () => (await open()).store),
    gate,
    recordGate,
    async append(line, projectId) {
      const project = projects.get(projectId);
      if (project === undefined) throw new RecordsUnavailableError(`there is no project ${projectId}`);
      await project.spool.append(line);
    },
    pending: (projectId) => projects.get(projectId)?.shared.pending,
    rates: (projectId) => projects.get(projectId)?.shared.loader()?.rates(projectId),
    progress: () => (all.length === 0 ? undefined : progressOf(all)),
    checks: createChecks(store.peek, all, logger),
    async parts(signal) {
      const failures = await store.peek()?.store.failures(signal);
      const names = config.stores.clickhouse.shards.map((_url, at) => at + 1);
      return new Map(
        names.map((shard) => [`clickhouse-${shard}`, failures !== undefined && !failures.has(shard)]),
      );
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

interface LateClickHouse extends AsyncDisposable {
  readonly store: LateClickHouseStore;
}

async function openStore(config: Config, ledger: SharedDatabase): Promise<LateClickHouse> {
  const { openLateClickHouseStore } = await import("../../../store/events/clickhouse/clickhouse.ts");
  const store = await openLateClickHouseStore(clickHouseOptions(config, ledger));
  try {
    if ((await store.moveProgress()) === "begun") throw new EventsUnavailableError(unfinishedMove);
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
  return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

/** A database which restarts is available again after some seconds. */
const retryAfterMs = 1_000;

function unavailable(error: unknown): EventsUnavailableError {
  return new EventsUnavailableError("the event store could not be opened", { cause: error, retryAfterMs });
}

interface Work {
  readonly open: () => Promise<LateClickHouse>;
  readonly all: readonly SharedProject[];
  readonly config: Config;
  readonly ports: SharedPorts;
}

/** Follows what other replicas load, and loads and compacts under leases. */
function startWork({ open, all, config, ports }: Work): AsyncDisposable {
  const { shared, metrics, logger, clock } = ports;
  const { leases } = shared;
  const stop = new AbortController();
  const started = new AsyncDisposableStack();
  const lostLease = (error: unknown): void =>
    logger.warn({ err: error }, "could not acquire a lease, will retry");
  async function follow(): Promise<void> {
    const { store } = await open();
    const places = await Promise.all(all.map(({ id }) => store.readLoadedTo(String(id))));
    // The schema is not older than the places.
    await store.refresh();
    await Promise.all(all.map((project, at) => project.loadedTo(places[at])));
  }
  function start(): void {
    const shares = started.use(
      divideLeases({ leases, total: all.length, clock: systemClock, failed: lostLease }),
    );
    for (const project of all) {
      started.use(
        doUnderLease({
          leases: shares,
          name: `load/${project.id}`,
          clock: systemClock,
          until: shares.surplus,
          failed: lostLease,
          async start(lease) {
            const { store } = await open();
            await store.ready();
            return project.load(lease, store);
          },
        }),
      );
    }
    started.use(
      doUnderLease({
        leases,
        name: "upkeep",
        clock: systemClock,
        failed: lostLease,
        async start() {
          const { store } = await open();
          await store.ready();
          return startUpkeep(config, store, { metrics, logger, clock });
        },
      }),
    );
  }
  async function run(): Promise<void> {
    for (let isStarted = false; !stop.signal.aborted; ) {
      const isFollowed = await follow().then(
        () => true,
        () => false,
      );
      if (isFollowed && !isStarted) start();
      isStarted ||= isFollowed;
      await systemClock.wait(followMs, stop.signal);
    }
  }
  const running = run();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await started.disposeAsync();
    },
  };
}

function progressOf(all: readonly SharedProject[]) {
  return {
    lagMs: () => Math.max(...all.map((project) => project.lagMs())),
    recordBytes() {
      const known = all.flatMap((project) => project.recordBytes() ?? []);
      return known.length === 0 ? undefined : known.reduce((sum, bytes) => sum + bytes, 0) / known.length;
    },
    loader: {
      async waitingBytes() {
        const known = await Promise.all(all.map((project) => project.waitingBytes()));
        return known.reduce((sum, bytes) => sum + bytes, 0);
      },
    },
  };
}

/** Passes while records are loaded, and while the servers of the store reply. */
function createChecks(
  peek: () => LateClickHouse | undefined,
  all: readonly SharedProject[],
  logger: BackendPorts["logger"],
): Readonly<Record<string, ReadyCheck>> {
  const reasons = new Map<string, string>();
  const report = (part: string, reason: string | undefined): void => {
    const before = reasons.get(part);
    if (reason === before) return;
    if (reason === undefined) {
      logger.info(`${part} is ready again`);
      reasons.delete(part);
    } else {
      logger.error({ reason }, `${part} is not ready`);
      reasons.set(part, reason);
    }
  };
  return {
    events() {
      const fault = all.map((project) => project.fault()).find((one) => one !== undefined);
      report("events", fault);
      // Other replicas would not load them either, and accepting must go on.
      return fault && `${degraded}${fault}`;
    },
    async clickhouse(signal) {
      const store = peek()?.store;
      const failures = await store?.failures(signal);
      const [first] = failures?.values() ?? [];
      report("clickhouse", store === undefined ? "the event store is not open" : first?.message);
      if (store === undefined) return `${degraded}the event store is not open`;
      const shards = Array.from(failures?.keys() ?? []);
      return first && `${degraded}unavailable shards: ${shards.join(", ")}`;
    },
  };
}
