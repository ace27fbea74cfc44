import type { UserRow } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { EventStore } from "../../../store/events/events.ts";
import type { FilterList } from "../describe/condition/filter.ts";
import type { AnalysisEngine } from "../engine.ts";

/** A project that can be queried. */
export interface AnalysisProject {
  readonly engine: AnalysisEngine;
  /** The name of the engine in metrics. */
  readonly engineName: "embedded" | "platform";
  /** Returns a warning while acknowledged records are missing from results. */
  readonly lateness?: () => string | undefined;
  /** Imports cohorts and tags; undefined for engines without imports. */
  readonly cohorts?: CohortPort;
  /** Selects users by their properties; undefined for engines that find users only by their events. */
  readonly users?: UserPort;
}

/** Finds users of a project, with events or without. */
export interface UserPort {
  /**
   * Yields users in batches, ordered by id, each with a value for each column. Undefined when the conditions, or a
   * definition that they name, refer to events.
   * @param columns ids and user properties
   * @param caller the token for which the query runs
   * @throws AnalysisRefusal
   */
  select(
    conditions: FilterList,
    columns: readonly string[],
    signal: AbortSignal,
    caller?: string,
  ): Promise<AsyncIterable<readonly UserRow[]> | undefined>;
}

/** The store of the cohorts and tags of a project. */
export interface CohortPort extends Pick<EventStore, "importCohort" | "cohorts"> {
  /** Returns the current day in the project's zone, `yyyy-MM-dd`. */
  today(): string;
}
