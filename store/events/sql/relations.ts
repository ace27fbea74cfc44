import type { Cluster } from "../scan.ts";
import type { ProjectSchema, Property } from "../schema.ts";

/** Columns of every table of events; users have the last three. Times are instants in ms. */
export type EventColumn = "event" | "time_ms" | "received_ms" | "user_id" | UserColumn;
export type UserColumn = "user_id" | "account_id" | "distinct_id";

export interface EventsWanted {
  /** Instants, ms; [startMs, endMs). */
  readonly startMs: number;
  readonly endMs: number;
  /** Numbers of events; undefined stands for any. */
  readonly events: readonly number[] | undefined;
  readonly columns: readonly EventColumn[];
  readonly properties: readonly Property[];
  /** A further column `bucket`: its text for the events of a stretch of time within the range. */
  readonly bucket?: ((startMs: number, endMs: number) => string) | undefined;
}

export interface UsersWanted {
  readonly columns: readonly UserColumn[];
  readonly properties: readonly Property[];
}

/** The tables of a project, as the driver keeps them. Each answers a subquery in parentheses. */
export interface Relations {
  readonly schema: ProjectSchema;
  /** Of the tables that events of [startMs, endMs) are in. */
  rowsAtMost(range: Pick<EventsWanted, "startMs" | "endMs">): number;
  events(wanted: EventsWanted): string;
  users(wanted: UsersWanted): string;
  /** Of `user_id` and `value`. */
  cluster(cluster: Cluster): string;
  /** The name of a property's column in `events` and `users`. */
  column(property: Property): string;
}
