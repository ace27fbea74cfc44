import { type EventStore, emptySchema } from "../events.ts";
import { type LedgerOptions, migrateLedger, openLedger } from "../ledger/ledger.ts";
import type { SpoolPlace } from "../load.ts";
import { createQuerySlots, type QueryLimits } from "../query-slots.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { type Columns, createColumns } from "./ddl/columns.ts";
import { checkShards, type Migrated, migrateShards } from "./ddl/migrate.ts";
import type { DdlOptions } from "./ddl/tables.ts";
import type { ProjectSnapshot } from "./layout.ts";
import { openSpool, type SpoolLease, type SpoolLoader } from "./load/load.ts";
import { createMover, type StoreMover } from "./move/move.ts";
import { Projects } from "./projects.ts";
import { createPlans } from "./query/scan.ts";
import { createSpools } from "./query/spool.ts";
import { createVolumes } from "./query/volumes.ts";
import { exportRecords } from "./read/export.ts";
import { readIdentities } from "./read/identities.ts";
import { countUses } from "./read/name-uses.ts";
import { storeStats } from "./read/stats.ts";
import { openRefresh } from "./refresh.ts";
import { findFaults } from "./upkeep/check.ts";
import { cohortInfos, findUsers, importCohort } from "./upkeep/cohorts.ts";
import { type CompactSource, compact } from "./upkeep/compact.ts";
import { countSelected, deleteSelected, finishDeletions } from "./upkeep/delete-events.ts";
import { deleteGarbage } from "./upkeep/garbage.ts";
import { finishRemoval, removeNames } from "./upkeep/remove-names.ts";

export interface ClickHouseStoreOptions extends ConnectionOptions, QueryLimits {
  readonly ledger: LedgerOptions;
  readonly ddl?: DdlOptions;
  /** The folder for results of queries whose readers are slow; nothing in it is needed after a crash. */
  readonly resultsFolder: string;
  /** The maximum of results in the folder. */
  readonly maxResultBytes: number;
  /** Returns the time of exported user records, in milliseconds since 1970. */
  readonly now?: () => number;
}

export interface ClickHouseStore extends EventStore {
  /** Opens a spool which is loaded under a lease. */
  loaderOf(spool: string, lease: SpoolLease): Promise<SpoolLoader>;
  /** Creates what copies another store into this one, under a lease. */
  mover(lease: SpoolLease): StoreMover;
  /** Returns how far another store was moved into this one; undefined without a move. @throws EventsUnavailableError */
  moveProgress(): Promise<"begun" | "finished" | undefined>;
  /** Reads the end of what is loaded of a spool. @throws EventsUnavailableError */
  readLoadedTo(spool: string): Promise<SpoolPlace | undefined>;
  /** Asks each server for a reply. @returns the failures by the number of the shard, from 1 */
  failures(signal: AbortSignal): Promise<ReadonlyMap<number, Error>>;
  /** Reads what other replicas have changed, so that `schema` is as of now. @throws EventsUnavailableError */
  refresh(): Promise<void>;
}

/** A store whose servers may be unavailable at first. */
export interface LateClickHouseStore extends ClickHouseStore {
  /**
   * Resolves when the tables of all servers have been checked, once. To be called before the store is loaded or
   * queried.
   * @throws EventsOpenError, EventsUnavailableError
   */
  ready(): Promise<void>;
}

/** How often what other replicas changed is read. Queries read it each time. */
const refreshMs = 1_000;
const garbageMs = 60_000;
/** The spool of `load`, which one process loads. */
const mainSpool = "main";

/**
 * Opens the event store on ClickHouse servers, which several replicas of the service share.
 *
 * `connection.ts` sends statements to the shards (`shard.ts`). The tables of `layout.ts` are created by
 * `ddl/`. Which of their rows count is written in a ledger (`store/events/ledger`), of which
 * `projects.ts` keeps what this process knows. `load/` loads batches, `query/` runs plans, `read/` reads
 * for other purposes, `upkeep/` imports, deletes and checks, and `move/` copies another store into this one.
 *
 * @throws EventsOpenError when the tables have another version than this program, or belong to another
 * store or shard
 * @throws EventsUnavailableError when a server is unavailable
 */
export async function openClickHouseStore(options: ClickHouseStoreOptions): Promise<ClickHouseStore> {
  const store = await openLateClickHouseStore(options);
  try {
    await store.ready();
    return store;
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Opens the event store as `openClickHouseStore` does, with the ledger alone: records may be accepted before the
 * servers are available.
 * @throws EventsOpenError, EventsUnavailableError
 */
export async function openLateClickHouseStore(options: ClickHouseStoreOptions): Promise<LateClickHouseStore> {
  await using opened = new AsyncDisposableStack();
  const ledger = opened.use(await openLedger(options.ledger));
  const connection = opened.use(new Connection(options));
  const projects = new Projects(ledger);
  await projects.snapshots();
  const ddl = options.ddl ?? {};
  const columns = createColumns(connection, ddl);
  const source: Source = {
    connection,
    ledger,
    projects,
    ddl,
    columns,
    async finishRemoval(projectId) {
      await finishRemoval(source, projectId);
      await finishDeletions(source, projectId);
    },
  };
  const main = await openSpool(source, mainSpool, undefined);
  opened.use(
    openRefresh([
      { everyMs: refreshMs, work: () => projects.snapshots() },
      { everyMs: refreshMs, work: main.refresh },
      { everyMs: garbageMs, work: (signal) => deleteGarbage(source, signal) },
    ]),
  );
  const slots = createQuerySlots(options);
  const spools = createSpools({ folder: options.resultsFolder, maxBytes: options.maxResultBytes });
  const queries = { connection, slots, spools, snapshot: (id: number) => snapshotOf(projects, id) };
  const stack = opened.move();
  return {
    schema: main.schema,
    loadedTo: main.loadedTo,
    // What is loaded is on the disks of all servers.
    settledTo: main.loadedTo,
    load: main.load,
    ...createPlans(queries),
    ...createVolumes(queries),
    queryCounts: slots.counts,
    ...readsOf(source, options.now ?? Date.now),
    importCohort: (version, members) => importCohort(source, version, members),
    cohorts: async (projectId) => cohortInfos(await projects.snapshot(projectId)),
    compact: (given) => compact(source, given),
    removeNames: (removal) => removeNames(source, removal),
    findUsers: async (projectId, identifiers) =>
      findUsers(source, await projects.snapshot(projectId), identifiers),
    countEvents: (selection, signal) => countSelected(source, selection, signal),
    deleteEvents: (selection, maxEvents) => deleteSelected(source, selection, maxEvents),
    loaderOf: (spool, lease) => openSpool(source, spool, lease),
    mover: (lease) => createMover(source, lease),
    moveProgress: () => ledger.call("moveProgress"),
    readLoadedTo: (spool) => ledger.call("loadedTo", spool),
    failures: (signal) => findFailures(connection, signal),
    refresh: async () => void (await projects.snapshots()),
    ready: createCheck(async () => checkShards(connection, await ledger.call("storeName"))),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function findFailures(
  connection: Connection,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Error>> {
  const replies = await Promise.allSettled(
    Array.from({ length: connection.shardCount }, (_, shard) =>
      connection.rows(shard, { sql: "SELECT 1", signal }),
    ),
  );
  return new Map(
    replies.flatMap((reply, at) =>
      reply.status === "fulfilled" ? [] : [[at + 1, reply.reason as Error] as const],
    ),
  );
}

/** Returns a function which runs a check until it has passed once; calls at the same time share it. */
function createCheck(check: () => Promise<void>): () => Promise<void> {
  let checking: Promise<void> | undefined;
  return async () => {
    checking ??= check();
    const own = checking;
    try {
      await own;
    } catch (error) {
      if (checking === own) checking = undefined;
      throw error;
    }
  };
}

/** Returns the snapshot of a project; of one without data, an empty one. */
async function snapshotOf(projects: Projects, projectId: number): Promise<ProjectSnapshot> {
  return (
    (await projects.snapshot(projectId)) ?? {
      projectId,
      schema: emptySchema,
      generation: 0,
      watermark: 0,
      hiddenBatches: [],
      mayHaveUpdatable: false,
      hiddenEvents: [],
      dropped: undefined,
      deletions: [],
      cohorts: [],
    }
  );
}

interface Source extends CompactSource {
  readonly columns: Columns;
}

type Reads = Pick<ClickHouseStore, "export" | "identities" | "stats" | "nameUses" | "check">;

/** Returns the reads which no plan describes. */
function readsOf({ connection, ledger, projects }: Source, now: () => number): Reads {
  return {
    async *export(range, signal) {
      const project = await projects.snapshot(range.projectId);
      if (project === undefined || project.watermark === 0) return;
      yield* exportRecords({ connection, ledger, project, nowMs: now(), signal }, range);
    },
    async *identities(signal) {
      for (const project of await projects.snapshots()) yield* readIdentities(connection, project, signal);
    },
    stats: async () => storeStats({ connection, ledger }, await projects.snapshots()),
    async nameUses(projectId, signal) {
      const project = await projects.snapshot(projectId);
      return project === undefined
        ? { events: [], properties: [] }
        : await countUses(connection, project, signal);
    },
    async check(signal, onProgress) {
      signal.throwIfAborted();
      return await findFaults({ connection, ledger, signal }, await projects.snapshots(), onProgress);
    },
  };
}

/**
 * Migrates the ledger, then the databases of all shards, to the version of this program. Several
 * processes may do it at once.
 * @throws EventsOpenError when one is newer, or a database belongs to another store or shard
 * @throws EventsUnavailableError when a server is unavailable
 */
export async function migrateClickHouseStore(options: ClickHouseStoreOptions): Promise<readonly Migrated[]> {
  const { ledger: to } = options;
  const migrated = await migrateLedger(to, to.schema);
  await using ledger = await openLedger(to);
  return [migrated, ...(await migrateShards(options, options.ddl ?? {}, await ledger.call("storeName")))];
}
