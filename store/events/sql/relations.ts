import type { Cohort } from "../scan.ts";
import type { ProjectSchema, Property } from "../schema.ts";
import type { ScalarValue } from "./parameters.ts";

/** The columns of every table of events; users have the last three. Times are instants in ms. */
export type EventColumn = "event" | "time_ms" | "received_ms" | "user_id" | UserColumn;
export type UserColumn = "user_id" | "account_id" | "distinct_id";

export interface EventsWanted {
  /** Instants in ms; the range is [startMs, endMs). Infinite values are no limit. */
  readonly startMs: number;
  readonly endMs: number;
  /** The numbers of the events; undefined matches any. */
  readonly events: readonly number[] | undefined;
  readonly columns: readonly EventColumn[];
  readonly properties: readonly Property[];
  /** A further column `bucket`: returns its SQL for the events of a part of the range. */
  readonly bucket?: ((startMs: number, endMs: number) => string) | undefined;
}

export interface UsersWanted {
  readonly columns: readonly UserColumn[];
  readonly properties: readonly Property[];
  /** A SELECT of ids in `user_id`; other users are not needed. */
  readonly ids?: string;
}

/** A table with all events, and the conditions for its rows; each names the table by its alias. */
export interface OneTable {
  readonly name: string;
  conditions(wanted: Pick<EventsWanted, "startMs" | "endMs" | "events">, alias: string): readonly string[];
}

/**
 * Reports whether at least half of the tables may have one of these texts. The engine leaves tables and blocks without
 * any of them out by a comparison, but not by a function.
 */
export type MayOccur = (texts: readonly ScalarValue[]) => boolean;

/** The tables of a project, as the driver stores them. Each method returns a subquery in parentheses. */
export interface Relations {
  readonly schema: ProjectSchema;
  /** Whether the rows of different events lie apart, so that reading one event does not read the others. */
  readonly hasEventsApart?: boolean;
  /** Returns the maximum number of rows in the tables with events of [startMs, endMs). */
  rowsAtMost(range: Pick<EventsWanted, "startMs" | "endMs">): number;
  /** Reports whether no table has events both before and from an instant on. Default: some may have. */
  readonly isDividedAt?: (ms: number) => boolean;
  events(wanted: EventsWanted): string;
  /**
   * Set when one table has all events, whose rows are then read without a subquery, which takes time to plan.
   */
  readonly oneTable?: OneTable | undefined;
  users(wanted: UsersWanted): string;
  /**
   * Returns a SELECT of the columns of all users with the ids, each once, with nulls when it has no row. The driver may
   * add columns and an order. Default: a join.
   */
  readonly usersOf?: (wanted: Required<UsersWanted>) => string;
  /** A subquery with `user_id` and `value`. */
  cohort(cohort: Cohort): string;
  /** Returns a function for a text property that is known to have few texts. Default: none is. */
  readonly fewTexts?: (property: Property) => MayOccur | undefined;
  /** Returns the name of a property's column in `events` and `users`. */
  column(property: Property): string;
}
