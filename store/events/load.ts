import type { EventName, Property } from "./schema.ts";

/** A place in the spool of records: what is before it has been loaded. Compared by file number, then offset. */
export interface SpoolPlace {
  readonly number: number;
  /** Bytes. */
  readonly offset: number;
}

/**
 * What was prepared of one stretch of the spool. A batch whose `to` is not
 * after the place that the store has recorded changes nothing, so a batch may
 * be loaded again after a crash.
 */
export interface LoadBatch {
  readonly from: SpoolPlace;
  readonly to: SpoolPlace;
  readonly projects: readonly ProjectRows[];
}

/** NDJSON files of one project, which the store may read and never changes; undefined when there are none. */
export interface ProjectRows {
  readonly projectId: number;
  /** What the rows use that was not known before. */
  readonly newEvents: readonly EventName[];
  readonly newProperties: readonly Property[];
  /** Of each day that has events one. */
  readonly days?: readonly DayRows[];
  /** Lines of PreparedUpdate, in order of arrival. */
  readonly updatesFile?: string;
  /** Lines of SeenUser, in order of arrival. */
  readonly seenFile?: string;
  /** Lines of PreparedUser, in order of arrival. */
  readonly usersFile?: string;
  /** Number of lines of each. */
  readonly counts: {
    readonly events: number;
    readonly updates: number;
    readonly seen: number;
    readonly users: number;
  };
}

/** Events of one UTC day. */
export interface DayRows {
  /** Of `#event_time`, counted from 1970-01-01. */
  readonly day: number;
  /** Lines of PreparedEvent. */
  readonly file: string;
  /** Number of lines. */
  readonly events: number;
  /** Numbers of the properties that a line has a value of, each once. */
  readonly properties: readonly number[];
}

/**
 * By property number, as text: number, boolean, text, list of texts, the JSON
 * text of an object or object group, milliseconds of a time, or of a member of
 * an object group a list of those with nulls.
 */
export type PreparedValues = Readonly<Record<string, unknown>>;

export interface PreparedEvent {
  /** Event number. */
  readonly e: number;
  /** `#event_time`: instant, ms since 1970. */
  readonly t: number;
  /** When it was received: ms since 1970. */
  readonly r: number;
  /** `#user_id` */
  readonly u: number;
  /** `#account_id` */
  readonly a?: string;
  /** `#distinct_id`, the visitor. */
  readonly d?: string;
  readonly p: PreparedValues;
}

/** An event that later records may change, known by its event and `#event_id`. */
export interface PreparedUpdate extends PreparedEvent {
  /** `#event_id` */
  readonly i: string;
  /** Whether it takes the place of what was there, or is merged into it. */
  readonly o: "update" | "overwrite";
}

/**
 * A user or an id of one that was not known. A user's ids are the last of each
 * kind, and a visitor is the user's with whom it comes first.
 */
export interface SeenUser {
  readonly u: number;
  /** `#account_id` */
  readonly a?: string;
  /** `#distinct_id`: a visitor who is this user, not just somebody at the same device. */
  readonly d?: string;
}

export type UserOperation = "set" | "setOnce" | "add" | "append" | "uniqAppend" | "unset" | "del";

/** An operation on a user; a user that is not known yet becomes known without ids. */
export interface PreparedUser {
  readonly u: number;
  readonly o: UserOperation;
  /** Of `unset` the values mean nothing. */
  readonly p: PreparedValues;
}

export interface LoadCounts {
  readonly events: number;
  /** Operations. */
  readonly users: number;
}
