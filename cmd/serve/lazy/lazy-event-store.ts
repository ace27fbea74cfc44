import { type EventStore, emptySchema } from "../../../store/events/events.ts";
import type { LazilyOpen } from "./lazily-open.ts";

/** Opens the store when something is asked of it. What is known of projects is told only after that. */
export function createLazyEventStore(
  lazy: Pick<LazilyOpen<{ readonly store: EventStore } & AsyncDisposable>, "peek">,
  open: () => Promise<EventStore>,
): EventStore {
  const peek = (): EventStore | undefined => lazy.peek()?.store;
  return {
    schema: (projectId) => peek()?.schema(projectId) ?? emptySchema,
    loadedTo: () => peek()?.loadedTo(),
    settledTo: () => peek()?.settledTo(),
    load: async (batch) => (await open()).load(batch),
    scan: async (scan, signal) => (await open()).scan(scan, signal),
    async *users(scan, signal) {
      yield* (await open()).users(scan, signal);
    },
    async *selectUsers(selection, signal) {
      yield* (await open()).selectUsers(selection, signal);
    },
    scanAll: async (scans, signal) => (await open()).scanAll(scans, signal),
    spread: async (scan, of, signal) => (await open()).spread(scan, of, signal),
    importCluster: async (version, members) => (await open()).importCluster(version, members),
    clusters: async (projectId) => (await open()).clusters(projectId),
    async *export(range, signal) {
      yield* (await open()).export(range, signal);
    },
    async *identities(signal) {
      yield* (await open()).identities(signal);
    },
    compact: async (options) => (await open()).compact(options),
    stats: async () => (await open()).stats(),
    nameUses: async (projectId, signal) => (await open()).nameUses(projectId, signal),
    removeNames: async (removal) => (await open()).removeNames(removal),
    queryCounts: () => peek()?.queryCounts() ?? { running: 0, waiting: 0 },
    check: async (signal, onProgress) => (await open()).check(signal, onProgress),
    // The caller that opened it closes it.
    async [Symbol.asyncDispose]() {},
  };
}
