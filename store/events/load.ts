import type { EventName, Property } from "./schema.ts";

/**
 * A place in the spool of records: everything before it has been loaded. Places compare by file number,
 * then by offset.
 */
export interface SpoolPlace {
  readonly number: number;
  /** Bytes. */
  readonly offset: number;
}

/**
 * The prepared rows of one part of the spool. A batch whose `to` is not after the place recorded in the
 * store changes nothing, so a batch may be loaded again after a crash.
 */
export interface LoadBatch {
  readonly from: SpoolPlace;
  readonly to: SpoolPlace;
  readonly projects: readonly ProjectRows[];
}

/** Files of one project, which the store may read and never changes; undefined when there are none. */
export interface ProjectRows {
  readonly projectId: number;
  /** Event names and properties which the rows use and which were unknown before. */
  readonly newEvents: readonly EventName[];
  readonly newProperties: readonly Property[];
  /** Events by day: one entry for each day with events. */
  readonly days?: readonly DayRows[];
  /** Events by shard instead: one entry for each shard with events, for a store that divides users among shards. */
  readonly shards?: readonly ShardRows[];
  /** Lines of PreparedUpdate, in order of arrival. */
  readonly updatesFile?: string;
  /** Lines of SeenUser, in order of arrival. */
  readonly seenFile?: string;
  /** Lines of PreparedUser, in order of arrival. */
  readonly usersFile?: string;
  /** The number of lines of each kind. */
  readonly counts: {
    readonly events: number;
    readonly updates: number;
    readonly seen: number;
    readonly users: number;
  };
}

/**
 * The format of a file of events: lines of PreparedEvent; or a Parquet file with their members, and the values of each
 * property, as columns. A property's column is named `p` and its number; it is a list of texts, or what
 * `PreparedValues` says.
 */
export type EventFormat = "lines" | "columns";

/** Events of one UTC day. */
export interface DayRows {
  /** The day of `#event_time`, counted from 1970-01-01. */
  readonly day: number;
  readonly file: string;
  /** Default: lines. */
  readonly format?: EventFormat;
  readonly events: number;
  /** The numbers of the properties with a value in some event, each once. */
  readonly properties: readonly number[];
}

/** Events of the users of one shard, as columns. */
export interface ShardRows {
  /** From 0 on. */
  readonly shard: number;
  readonly file: string;
  /** The number of events of each UTC day, by the number of the day. */
  readonly days: ReadonlyMap<number, number>;
  /** As those of DayRows. */
  readonly properties: readonly number[];
}

/**
 * Values by property number, as text: number, boolean, text, list of texts, the JSON text of an object
 * or object group, milliseconds of a time, or, for a member of an object group, a list of those with
 * nulls.
 */
export type PreparedValues = Readonly<Record<string, unknown>>;

export interface PreparedEvent {
  /** The event's number. */
  readonly e: number;
  /** `#event_time`: an instant, in milliseconds since 1970. */
  readonly t: number;
  /** The time of receipt, in milliseconds since 1970. */
  readonly r: number;
  /** `#user_id` */
  readonly u: number;
  /** `#account_id` */
  readonly a?: string;
  /** `#distinct_id`, the visitor. */
  readonly d?: string;
  readonly p: PreparedValues;
}

/** An event which later records may change, identified by its name and `#event_id`. */
export interface PreparedUpdate extends PreparedEvent {
  /** `#event_id` */
  readonly i: string;
  /** Whether it replaces the existing event or is merged into it. */
  readonly o: "update" | "overwrite";
}

/**
 * A new user, or a new id of a user. A user's ids are the last of each kind; a visitor belongs to the
 * user with whom it appears first.
 */
export interface SeenUser {
  readonly u: number;
  /** `#account_id` */
  readonly a?: string;
  /** `#distinct_id`: a visitor who is this user, not another user of the same device. */
  readonly d?: string;
}

export type UserOperation = "set" | "setOnce" | "add" | "append" | "uniqAppend" | "unset" | "del";

/** An operation on a user. An unknown user becomes known without ids. */
export interface PreparedUser {
  readonly u: number;
  readonly o: UserOperation;
  /** Values have no meaning for `unset`. */
  readonly p: PreparedValues;
}

export interface LoadCounts {
  readonly events: number;
  /** The number of user operations. */
  readonly users: number;
}
