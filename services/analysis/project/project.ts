import type { UserRow } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { EventStore } from "../../../store/events/events.ts";
import type { FilterList } from "../describe/condition/filter.ts";
import type { AnalysisEngine } from "../engine.ts";

/** One project that can be asked about. */
export interface AnalysisProject {
  readonly engine: AnalysisEngine;
  /** For metrics. */
  readonly engineName: "embedded" | "platform";
  /** Says when records that were acknowledged are missing from answers; undefined: they are not. */
  readonly lateness?: () => string | undefined;
  /** Imports of cohorts and tags; undefined on an engine that takes none. */
  readonly clusters?: ClusterPort;
  /** Users by what is known of them; undefined on an engine that finds them by their events only. */
  readonly users?: UserPort;
}

/** Finds users of a project, with events or without. */
export interface UserPort {
  /**
   * Some users at a time, in the order of their ids, each with a value for each
   * column. Undefined when the conditions, or a definition that they name, look
   * at events.
   * @param columns ids and user properties
   * @param asker for whom the query runs
   * @throws AnalysisRefusal
   */
  select(
    conditions: FilterList,
    columns: readonly string[],
    signal: AbortSignal,
    asker?: string,
  ): Promise<AsyncIterable<readonly UserRow[]> | undefined>;
}

/** Where cohorts and tags of a project are kept. */
export interface ClusterPort extends Pick<EventStore, "importCohort" | "cohorts"> {
  /** The present day in the project's zone, `yyyy-MM-dd`. */
  today(): string;
}
