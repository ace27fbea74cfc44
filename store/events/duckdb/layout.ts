import { dayMs } from "../../../base/time/units.ts";
import type { SpoolPlace } from "../load.ts";
import type { Cohort } from "../scan.ts";
import type { ProjectSchema, Property } from "../schema.ts";
import type { EventColumn, EventsWanted, UserColumn, UsersWanted } from "../sql/relations.ts";

/** The contents of the database file at one moment; never changes. */
export interface StoreTables {
  readonly loadedTo: SpoolPlace | undefined;
  readonly projects: ReadonlyMap<number, ProjectTables>;
}

/** The tables of one project. */
export interface ProjectTables {
  readonly projectId: number;
  readonly schema: ProjectSchema;
  /** Events by day of `#event_time` (UTC), counted from 1970-01-01. */
  readonly days: ReadonlyMap<number, DayTable>;
  /** Events of all days which later records may change; undefined before the first. */
  readonly updatable: DataTable | undefined;
  /** One row per user; undefined before the first. */
  readonly users: DataTable | undefined;
  /** A table with `distinct_id` and `user_id`; of several rows of a visitor the first one counts. */
  readonly visitors: string | undefined;
  readonly cohorts: readonly CohortTable[];
}

export interface DataTable {
  /** Quoted. */
  readonly table: string;
  /** The numbers of the properties with a column in the table. */
  readonly properties: ReadonlySet<number>;
}

export interface DayTable extends DataTable {
  readonly generation: number;
  readonly events: number;
  /** Whether the rows are in the order of event and time. */
  readonly isSorted: boolean;
}

/** The members of one version of a cohort: `user_id`, once each, and `value`. */
export interface CohortTable {
  /** Quoted. */
  readonly table: string;
  /** Unique within the project. */
  readonly number: number;
  readonly name: string;
  /** `yyyy-MM-dd` */
  readonly day: string;
  readonly kind: "cohort" | "tag";
  readonly members: number;
}

/**
 * The columns of every table of events, with their types. `event` is the event's number; times are
 * instants in ms since 1970. Users have the last three.
 */
export const eventColumns = {
  event: "INTEGER",
  time_ms: "BIGINT",
  received_ms: "BIGINT",
  user_id: "BIGINT",
  account_id: "VARCHAR",
  distinct_id: "VARCHAR",
} as const satisfies Record<EventColumn, string>;

export const userColumns: readonly UserColumn[] = ["user_id", "account_id", "distinct_id"];

const typeSuffixes = {
  number: "n",
  text: "s",
  time: "t",
  boolean: "b",
  list: "l",
  object: "o",
  object_group: "g",
} as const satisfies Record<Property["type"], string>;

const sqlTypes = {
  number: "DOUBLE",
  text: "VARCHAR",
  time: "BIGINT",
  boolean: "BOOLEAN",
  list: "VARCHAR[]",
  // JSON text.
  object: "VARCHAR",
  object_group: "VARCHAR",
} as const satisfies Record<Property["type"], string>;

/** Returns the column of a property, such as `p17_n`, or `p18_gs` for a member of an object group. */
export function propertyColumn({ number, type, group }: Property): string {
  return `p${number}_${group === undefined ? "" : "g"}${typeSuffixes[type]}`;
}

/**
 * Returns the type of a property's column, such as `DOUBLE`; a member of an object group is a list as
 * long as the group.
 */
export function propertySqlType({ type, group }: Property): string {
  return group === undefined ? sqlTypes[type] : `${sqlTypes[type]}[]`;
}

/** Formats a day, such as `2026-01-31`. */
export function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** @param generation the number of times the day was rewritten */
export const dayTableName = (projectId: number, day: number, generation: number): string =>
  `"e${projectId}_${day}_${generation}"`;
export const updatableTableName = (projectId: number): string => `"m${projectId}"`;
export const usersTableName = (projectId: number): string => `"u${projectId}"`;
export const visitorsTableName = (projectId: number): string => `"v${projectId}"`;
export const cohortTableName = (projectId: number, number: number): string => `"c${projectId}_${number}"`;

/** @property share the share of the rows that is read; default: all */
type SampleWanted = EventsWanted & { readonly share?: number };

/**
 * Returns a subquery of all events of a project in the range: the requested columns, then one per
 * property by its `propertyColumn`, null where a table has none. Only the tables of days in the range
 * are read, and only days at its ends compare times.
 */
export function eventsRelation(tables: ProjectTables | undefined, wanted: SampleWanted): string {
  const branches = wanted.events?.length === 0 ? [] : [...dayBranches(tables, wanted)];
  if (tables?.updatable !== undefined && wanted.events?.length !== 0) {
    const where = [...timeLimits(wanted, -Infinity, Infinity), ...eventLimit(wanted)];
    branches.push(
      select(
        tables.updatable,
        columnsOf(wanted, -Infinity, Infinity),
        wanted.properties,
        where,
        sampleOf(wanted),
      ),
    );
  }
  if (branches.length === 0) return emptyRelation(wanted.columns, wanted.properties, wanted.bucket);
  return `(${branches.join(" UNION ALL ")})`;
}

function* dayBranches(tables: ProjectTables | undefined, wanted: SampleWanted): Iterable<string> {
  for (const [day, table] of tables?.days ?? []) {
    const [start, end] = [day * dayMs, (day + 1) * dayMs];
    if (end <= wanted.startMs || start >= wanted.endMs) continue;
    const where = [...timeLimits(wanted, start, end), ...eventLimit(wanted)];
    yield select(table, columnsOf(wanted, start, end), wanted.properties, where, sampleOf(wanted));
  }
}

/** Whole vectors of a table are read or not. */
const sampleOf = ({ share }: SampleWanted): string =>
  share === undefined || share >= 1 ? "" : ` TABLESAMPLE SYSTEM (${(share * 100).toFixed(6)} PERCENT)`;

function columnsOf({ columns, bucket, startMs, endMs }: EventsWanted, from: number, to: number): string[] {
  if (bucket === undefined) return [...columns];
  return [...columns, `${bucket(Math.max(startMs, from), Math.min(endMs, to))} AS bucket`];
}

function timeLimits({ startMs, endMs }: EventsWanted, from: number, to: number): string[] {
  return [
    ...(startMs > from ? [`time_ms >= ${wholeMs(startMs)}`] : []),
    ...(endMs < to ? [`time_ms < ${wholeMs(endMs)}`] : []),
  ];
}

const wholeMs = (ms: number): string => String(BigInt(Math.ceil(ms)));

function eventLimit({ events }: EventsWanted): string[] {
  return events === undefined ? [] : [`event IN (${events.join(", ")})`];
}

/** Returns a subquery of all users of a project, with the requested columns and properties. */
export function usersRelation(
  tables: ProjectTables | undefined,
  { columns, properties }: UsersWanted,
): string {
  if (tables?.users === undefined) return emptyRelation(columns, properties);
  return `(${select(tables.users, columns, properties, [])})`;
}

/** Returns a subquery of the visitors of a project, each once, with their users: `distinct_id` and `user_id`. */
export function visitorsRelation({ visitors }: ProjectTables, where = "true"): string {
  // Rows are only added, so their ids are in the order of arrival.
  return visitors === undefined
    ? "(SELECT NULL::VARCHAR AS distinct_id, NULL::BIGINT AS user_id WHERE false)"
    : `(SELECT distinct_id, arg_min(user_id, rowid) AS user_id FROM ${visitors} WHERE ${where} GROUP BY distinct_id)`;
}

/** Returns a subquery with `user_id` and `value`, without rows when there is no such version. */
export function cohortRelation(tables: ProjectTables | undefined, cohort: Cohort): string {
  const version = findCohort(tables, cohort);
  return version === undefined
    ? "(SELECT NULL::BIGINT AS user_id, NULL::VARCHAR AS value WHERE false)"
    : `(SELECT user_id, value FROM ${version.table})`;
}

/** Returns the latest version up to the cohort's day, or the latest of all. */
export function findCohort(tables: ProjectTables | undefined, cohort: Cohort): CohortTable | undefined {
  const { name, day } = cohort;
  return tables?.cohorts
    .filter((version) => version.name === name && (day === undefined || version.day <= day))
    .reduce<CohortTable | undefined>((a, b) => (a !== undefined && a.day > b.day ? a : b), undefined);
}

function select(
  { table, properties: has }: DataTable,
  columns: readonly string[],
  properties: readonly Property[],
  where: readonly string[],
  sample = "",
): string {
  const selected = [
    ...columns,
    ...properties.map((one) => (has.has(one.number) ? propertyColumn(one) : missing(one))),
  ];
  // A relation needs a column, even when only its rows are counted.
  const list = selected.length === 0 ? "true AS present" : selected.join(", ");
  return `SELECT ${list} FROM ${table}${sample}${where.length === 0 ? "" : ` WHERE ${where.join(" AND ")}`}`;
}

function missing(property: Property): string {
  return `NULL::${propertySqlType(property)} AS ${propertyColumn(property)}`;
}

function emptyRelation(
  columns: readonly EventColumn[],
  properties: readonly Property[],
  bucket?: EventsWanted["bucket"],
): string {
  const selected = [
    ...columns.map((name) => `NULL::${eventColumns[name]} AS ${name}`),
    ...(bucket === undefined ? [] : ["NULL::INTEGER AS bucket"]),
    ...properties.map(missing),
  ];
  return `(SELECT ${selected.length === 0 ? "true AS present" : selected.join(", ")} WHERE false)`;
}
