import type {
  CountedValue,
  EventStore,
  ProjectSchema,
  ProjectVolumes,
  PropertyTable,
  TopValues,
  UserChunk,
} from "../../../store/events/events.ts";
import type { ColumnType } from "../describe/column/column.ts";
import type { FilterList } from "../describe/condition/filter.ts";
import type { AnalysisEngine } from "../engine.ts";
import type { ProjectDefinitions } from "./definitions.ts";

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
  /** Reads what the project's data consists of; undefined for engines whose data is elsewhere. */
  readonly catalog?: CatalogPort;
}

/** Finds users of a project, with events or without. */
export interface UserPort {
  /**
   * Yields users, ordered by id, with those of the properties that they have. Undefined when the conditions, or a
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
  ): Promise<AsyncIterable<UserChunk> | undefined>;
}

/** The store of the cohorts and tags of a project. */
export interface CohortPort extends Pick<EventStore, "importCohort" | "cohorts"> {
  /** Returns the current day in the project's zone, `yyyy-MM-dd`. */
  today(): string;
}

/** The catalogue of a project. */
export interface CatalogPort {
  readonly definitions: ProjectDefinitions;
  schema(): Promise<ProjectSchema>;
  volumes(call: CatalogRead): Promise<ProjectVolumes>;
  /** Returns the type of a column of a query; `nothing` for one without values. */
  typeOf(table: PropertyTable, name: string, schema: ProjectSchema): ColumnType;
  /** Returns the most frequent values of a column. @throws AnalysisRefusal */
  values(wanted: ColumnValues, call: CatalogRead): Promise<FoundValues>;
}

export interface CatalogRead {
  readonly signal: AbortSignal;
  /** The token or key for which it is read. */
  readonly caller: string;
}

/** A column of a query, and which of its values are wanted. */
export interface ColumnValues {
  readonly table: PropertyTable;
  readonly name: string;
  /** Only values of events with this name. */
  readonly event: string | undefined;
  /** The first and the last day, in local milliseconds as if they were UTC. */
  readonly fromDayMs: number | undefined;
  readonly toDayMs: number | undefined;
  readonly prefix: string;
  readonly after: CountedValue | undefined;
  readonly limit: number;
}

export interface FoundValues extends TopValues {
  readonly type: ColumnType;
  readonly kind: "text" | "number" | "boolean" | "time";
}
