import type { ContentsReader } from "../contents.ts";
import { type EventStore, emptySchema } from "../events.ts";
import type { QueryLimits } from "../query-slots.ts";
import { cohortInfos, importCohort } from "./cohorts.ts";
import { Database, type DatabaseOptions } from "./database.ts";
import { loadBatch } from "./load/load.ts";
import { listContents, readPartLines } from "./query/contents.ts";
import { exportRecords } from "./query/export.ts";
import { findUsers } from "./query/find-users.ts";
import { readIdentities } from "./query/identities.ts";
import { countUses } from "./query/name-uses.ts";
import { createQueries, openSnapshot } from "./query/query.ts";
import { createScans } from "./query/scan.ts";
import { storeStats } from "./query/stats.ts";
import { selectUsers } from "./query/users.ts";
import { createVolumes } from "./query/volumes.ts";
import { findFaults } from "./upkeep/check.ts";
import { compact } from "./upkeep/compact.ts";
import { countSelected, deleteSelected } from "./upkeep/delete-events.ts";
import { removeNames } from "./upkeep/remove-names.ts";
import { createWriter } from "./writer.ts";

/** The store, whose contents can be copied into another one. */
export interface DuckDbStore extends EventStore, ContentsReader {
  /** Keeps the files of the store as they are until the returned function is called: what writes waits, queries run. */
  hold(): Promise<() => void>;
}

export interface DuckDbStoreOptions extends DatabaseOptions, QueryLimits {
  /** Returns the time of exported user records, in milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Opens the event store in a folder; a missing folder is created.
 *
 * `database.ts` opens the file and its connections (`session.ts`), `catalog.ts` reads its tables, whose
 * names and columns `layout.ts` defines, and `writer.ts` runs write transactions. `load/` loads
 * batches, `query/` runs plans and other reads, and `upkeep/` compacts, checks and deletes.
 *
 * @throws EventsOpenError when another process has the store, or it can't be read
 */
export async function openDuckDbStore(options: DuckDbStoreOptions): Promise<DuckDbStore> {
  const database = await Database.open(options);
  const { scratchFolder } = database;
  const writer = createWriter(database);
  const queries = createQueries(database, options);
  const now = options.now ?? Date.now;
  return {
    ...createScans(queries),
    ...createVolumes(queries),
    schema: (projectId) => database.tables.projects.get(projectId)?.schema ?? emptySchema,
    loadedTo: () => database.tables.loadedTo,
    settledTo: () => database.settledTo,
    selectUsers: (selection, signal) => selectUsers(queries, selection, signal),
    load: (batch) => loadBatch(writer, batch, scratchFolder),
    importCohort: (version, members) => importCohort({ writer, scratchFolder }, version, members),
    cohorts: async (projectId) => cohortInfos(database.tables.projects.get(projectId)),
    async *export(range, signal) {
      await using snapshot = await openSnapshot(database, signal);
      yield* exportRecords(snapshot, range, now());
    },
    async *identities(signal) {
      await using snapshot = await openSnapshot(database, signal);
      yield* readIdentities(snapshot, signal);
    },
    compact: (given) => compact(database, writer, given),
    stats: () => storeStats(database),
    async nameUses(projectId, signal) {
      await using snapshot = await openSnapshot(database, signal);
      return await countUses(snapshot, projectId);
    },
    removeNames: (removal) => removeNames(writer, removal),
    async findUsers(projectId, identifiers, signal) {
      await using snapshot = await openSnapshot(database, signal);
      return await findUsers(snapshot, projectId, identifiers);
    },
    async countEvents(selection, signal) {
      await using snapshot = await openSnapshot(database, signal);
      return await countSelected(snapshot, selection);
    },
    deleteEvents: (selection, maxEvents) => deleteSelected(writer, selection, maxEvents),
    queryCounts: queries.counts,
    async check(signal, onProgress) {
      await using snapshot = await openSnapshot(database, signal);
      return await findFaults(snapshot, signal, onProgress);
    },
    async contents() {
      await using snapshot = await openSnapshot(database, new AbortController().signal);
      return await listContents(snapshot);
    },
    async *readPart(part, signal) {
      await using snapshot = await openSnapshot(database, signal);
      yield* readPartLines(snapshot, part);
    },
    hold: writer.hold,
    [Symbol.asyncDispose]: () => database.close(),
  };
}
