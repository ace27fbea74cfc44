import { type EventStore, emptySchema } from "../events.ts";
import { findFaults } from "./check.ts";
import { clusterInfos, importCluster } from "./clusters.ts";
import { compact } from "./compact.ts";
import { Database, type DatabaseOptions } from "./database.ts";
import { exportRecords } from "./export.ts";
import { readIdentities } from "./identities.ts";
import { loadBatch } from "./load.ts";
import { countUses } from "./name-uses.ts";
import { createQueries, openSnapshot, type QueryLimits } from "./queries.ts";
import { removeNames } from "./remove-names.ts";
import { createScans } from "./scan.ts";
import { storeStats } from "./stats.ts";
import { selectUsers } from "./users.ts";
import { createWriter } from "./writer.ts";

export interface DuckDbStoreOptions extends DatabaseOptions, QueryLimits {
  /** The time that exported users get. */
  readonly now?: () => number;
}

/**
 * Opens the store of events in a folder, which is made when it is missing.
 * @throws EventsOpenError when another process has it, or it can't be read
 */
export async function openDuckDbStore(options: DuckDbStoreOptions): Promise<EventStore> {
  const database = await Database.open(options);
  const { scratchFolder } = database;
  const writer = createWriter(database);
  const queries = createQueries(database, options);
  const now = options.now ?? Date.now;
  return {
    ...createScans(queries),
    schema: (projectId) => database.tables.projects.get(projectId)?.schema ?? emptySchema,
    loadedTo: () => database.tables.loadedTo,
    settledTo: () => database.settledTo,
    selectUsers: (selection, signal) => selectUsers(queries, selection, signal),
    load: (batch) => loadBatch(writer, batch, scratchFolder),
    importCluster: (version, members) => importCluster({ writer, scratchFolder }, version, members),
    clusters: async (projectId) => clusterInfos(database.tables.projects.get(projectId)),
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
    queryCounts: queries.counts,
    async check(signal, onProgress) {
      await using snapshot = await openSnapshot(database, signal);
      return await findFaults(snapshot, signal, onProgress);
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
}
