import { configuredZone, dateIn } from "../../../base/time/zone.ts";
import { createCatalogPort } from "../../../services/analysis/embedded/catalog-port.ts";
import { createEmbeddedEngine } from "../../../services/analysis/embedded/embedded.ts";
import { createUserPort } from "../../../services/analysis/embedded/select-users.ts";
import type { AnalysisEngine } from "../../../services/analysis/engine.ts";
import type { ProjectDefinitions } from "../../../services/analysis/project/definitions.ts";
import type { AnalysisProject } from "../../../services/analysis/project/project.ts";
import type { EventStore } from "../../../store/events/events.ts";
import type { Gate } from "../lazy.ts";

export interface EmbeddedProjectOptions {
  /** The event store. The first query may open it. */
  readonly store: EventStore;
  /**
   * Waits until the store is open; undefined once it is, since only then the schema is known.
   * @throws EventsUnavailableError
   */
  readonly gate: Gate;
  readonly project: ProjectDefinitions;
  /** IANA name or offset. */
  readonly zone: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** See AnalysisProject. */
  readonly lateness?: () => string | undefined;
}

/** A project that is queried in the event store. Its queries wait until the store is open. */
export function createEmbeddedProject({
  store,
  gate,
  zone,
  ...given
}: EmbeddedProjectOptions): AnalysisProject {
  const place = configuredZone(zone);
  const source = { store, ...given };
  const users = createUserPort(source);
  const catalog = createCatalogPort(source);
  return {
    engine: gateEngine(createEmbeddedEngine(source), gate),
    engineName: "embedded",
    ...(given.lateness && { lateness: given.lateness }),
    users: {
      async select(...asked) {
        await gate();
        return users.select(...asked);
      },
    },
    cohorts: {
      importCohort: (version, members) => store.importCohort(version, members),
      cohorts: (projectId) => store.cohorts(projectId),
      today: () => dateIn(place, given.now()),
    },
    catalog: {
      ...catalog,
      async schema() {
        await gate();
        return catalog.schema();
      },
      async volumes(call) {
        await gate();
        return catalog.volumes(call);
      },
      async values(wanted, call) {
        await gate();
        return catalog.values(wanted, call);
      },
    },
  };
}

function gateEngine(engine: Required<AnalysisEngine>, gate: Gate): Required<AnalysisEngine> {
  return {
    async analyze(query, call) {
      await gate();
      return await engine.analyze(query, call);
    },
    async listUsers(query, call) {
      await gate();
      return await engine.listUsers(query, call);
    },
    async *download(query, call) {
      await gate();
      yield* engine.download(query, call);
    },
    async *downloadUsers(query, call) {
      await gate();
      yield* engine.downloadUsers(query, call);
    },
    async *findUsers(query, call) {
      await gate();
      yield* engine.findUsers(query, call);
    },
    async faultsOf(query, signal) {
      // If the store cannot be opened, the query itself fails and reports it.
      const isOpen = await Promise.resolve(gate()).then(
        () => true,
        () => false,
      );
      return isOpen ? await engine.faultsOf(query, signal) : [];
    },
    version(projectId) {
      const opening = gate();
      if (opening === undefined) return engine.version(projectId);
      // The query itself gets the error.
      return opening.then(
        () => engine.version(projectId),
        () => undefined,
      );
    },
  };
}
