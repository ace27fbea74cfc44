import type { DeletedRows } from "../ledger/state.ts";
import type { ProjectSchema, Property } from "../schema.ts";

/** What one request sees of a project: all its scans read these rows, whatever is loaded meanwhile. */
export interface ProjectSnapshot {
  readonly projectId: number;
  readonly schema: ProjectSchema;
  /** Grows when names, properties, cohorts or `dropped` change. */
  readonly generation: number;
  /** The highest number of a loaded batch of the project. Rows of later batches are not part of the snapshot. */
  readonly watermark: number;
  /** Numbers up to the watermark of batches which are not completely loaded. */
  readonly hiddenBatches: readonly number[];
  /** Whether the table of updatable events may have rows. */
  readonly mayHaveUpdatable: boolean;
  /** Numbers of events which are being removed. */
  readonly hiddenEvents: readonly number[];
  readonly dropped: DroppedRows | undefined;
  /** Events which are being deleted. */
  readonly deletions: readonly DeletedRows[];
  readonly cohorts: readonly StoredCohort[];
}

/** Events which the retention has dropped; their rows are deleted later. */
export interface DroppedRows {
  /** Events before this time, in milliseconds since 1970, are dropped… */
  readonly beforeMs: number;
  /** …unless a later batch contains them. */
  readonly watermark: number;
}

/** One version of a cohort: the rows of this batch in the table of cohorts. */
export interface StoredCohort {
  readonly name: string;
  /** `yyyy-MM-dd` */
  readonly day: string;
  readonly kind: "cohort" | "tag";
  readonly members: number;
  readonly batch: number;
}

/** Events which never change. */
export const eventsTable = (projectId: number): string => `e${projectId}`;
/**
 * Rows of events which later records may change; of each event the row of the latest batch counts. When
 * its `is_moved` is true, the event has got a user of another shard and is there now.
 */
export const updatableTable = (projectId: number): string => `m${projectId}`;
/** Rows of users; of each user the row of the latest batch counts. */
export const usersTable = (projectId: number): string => `u${projectId}`;
/** Visitors and their users; of each visitor the row of the first batch counts. */
export const visitorsTable = (projectId: number): string => `v${projectId}`;
/** The members of all versions of cohorts, each once. */
export const cohortsTable = (projectId: number): string => `c${projectId}`;

/** `event` is the event's number; times are instants in ms since 1970. */
export const eventColumns = {
  event: "UInt32",
  time_ms: "Int64",
  received_ms: "Int64",
  user_id: "Int64",
  account_id: "Nullable(String)",
  distinct_id: "Nullable(String)",
  batch: "UInt64",
} as const;

export const updatableColumns = { ...eventColumns, event_id: "String", is_moved: "Bool" } as const;

/** `empty_lists` are the numbers of the properties whose value is an empty list. */
export const userColumns = {
  user_id: "Int64",
  account_id: "Nullable(String)",
  distinct_id: "Nullable(String)",
  batch: "UInt64",
  empty_lists: "Array(UInt32)",
} as const;

export const visitorColumns = { distinct_id: "String", user_id: "Int64", batch: "UInt64" } as const;

export const cohortColumns = {
  name: "String",
  day: "String",
  kind: "String",
  user_id: "Int64",
  value: "Nullable(String)",
  batch: "UInt64",
} as const;

const scalarTypes = {
  number: "Float64",
  text: "String",
  time: "Int64",
  boolean: "Bool",
  list: "String",
  // JSON text.
  object: "String",
  object_group: "String",
} as const satisfies Record<Property["type"], string>;

/** Returns the column of a property, such as `p17`. */
export const propertyColumn = ({ number }: Pick<Property, "number">): string => `p${number}`;

/**
 * Returns the type of a property's column. Lists are never null: an empty one has no value. A member of
 * an object group is a list as long as the group.
 */
export function propertyType({ type, group }: Property): string {
  if (group !== undefined) return `Array(Nullable(${scalarTypes[type]}))`;
  return type === "list" ? `Array(${scalarTypes[type]})` : `Nullable(${scalarTypes[type]})`;
}

/** Returns the name of a column; of a table with an alias, when one is given. */
export const columnIn = (column: string, alias?: string): string =>
  alias === undefined ? column : `${alias}.${column}`;

/** Returns the condition on `batch` for the rows of a snapshot. */
export function isLoaded(
  { watermark, hiddenBatches }: Pick<ProjectSnapshot, "watermark" | "hiddenBatches">,
  alias?: string,
): string {
  const batch = columnIn("batch", alias);
  const hidden = hiddenBatches.length === 0 ? "" : ` AND ${batch} NOT IN (${hiddenBatches.join(", ")})`;
  return `${batch} <= ${watermark}${hidden}`;
}

/**
 * Returns the condition for events which are neither removed, dropped nor deleted. For updatable events
 * it applies to the latest row of each.
 */
export function isKept({ hiddenEvents, dropped, deletions }: ProjectSnapshot, alias?: string): string {
  const [event, time, batch] = ["event", "time_ms", "batch"].map((column) => columnIn(column, alias));
  const conditions = [
    ...(hiddenEvents.length === 0 ? [] : [`${event} NOT IN (${hiddenEvents.join(", ")})`]),
    ...(dropped === undefined ? [] : [`(${time} >= ${dropped.beforeMs} OR ${batch} > ${dropped.watermark})`]),
    ...deletions.map((rows) => `NOT (${isDeleted(rows, alias)})`),
  ];
  return conditions.length === 0 ? "true" : conditions.join(" AND ");
}

/** Returns the condition for the rows of a deletion. */
export function isDeleted(rows: DeletedRows, alias?: string): string {
  const [event, time, user] = ["event", "time_ms", "user_id"].map((column) => columnIn(column, alias));
  const { startMs, endMs, events, users } = rows;
  return [
    isLoaded(rows, alias),
    ...(startMs === undefined ? [] : [`${time} >= ${startMs}`]),
    ...(endMs === undefined ? [] : [`${time} < ${endMs}`]),
    ...(events === undefined ? [] : [`${event} IN (${events.join(", ")})`]),
    ...(users === undefined ? [] : [`${user} IN (${users.join(", ")})`]),
  ].join(" AND ");
}
