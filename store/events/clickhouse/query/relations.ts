import type { Cohort } from "../../scan.ts";
import type { Property } from "../../schema.ts";
import type {
  EventColumn,
  EventsWanted,
  OneTable,
  Relations,
  UserColumn,
  UsersWanted,
} from "../../sql/relations.ts";
import {
  cohortsTable,
  columnIn,
  eventColumns,
  eventsTable,
  isKept,
  isLoaded,
  type ProjectSnapshot,
  propertyColumn,
  propertyType,
  type StoredCohort,
  updatableTable,
  userColumns,
  usersTable,
} from "../layout.ts";
import { blockRows } from "./dialect.ts";

/** Returns the tables of a project, as one request sees them, in the form that the compiler needs. */
export function relationsOf(snapshot: ProjectSnapshot): Relations {
  return {
    schema: snapshot.schema,
    hasEventsApart: true,
    // Rows are read again: the engine keeps no rows in less time than it reads columns.
    rowsAtMost: () => Number.POSITIVE_INFINITY,
    events: (wanted) => eventsRelation(snapshot, wanted),
    oneTable: isEmpty(snapshot) || snapshot.mayHaveUpdatable ? undefined : plainEvents(snapshot),
    users: (wanted) => usersRelation(snapshot, wanted),
    usersOf: (wanted) => usersOf(snapshot, wanted),
    cohort: (cohort) => cohortRelation(snapshot, cohort),
    column: propertyColumn,
  };
}

/** Without batches a project has no tables. */
const isEmpty = ({ watermark }: ProjectSnapshot): boolean => watermark <= 0;

function plainEvents(snapshot: ProjectSnapshot): OneTable {
  return {
    name: eventsTable(snapshot.projectId),
    conditions: (wanted, alias) => [
      isLoaded(snapshot, alias),
      ...eventLimit(wanted, alias),
      ...timeLimits(wanted, alias),
      ...(isKept(snapshot, alias) === "true" ? [] : [isKept(snapshot, alias)]),
    ],
  };
}

function eventsRelation(snapshot: ProjectSnapshot, wanted: EventsWanted): string {
  if (isEmpty(snapshot) || wanted.events?.length === 0) return emptyRelation(wanted);
  const columns = columnsOf(wanted);
  const kept = [...timeLimits(wanted), isKept(snapshot)].join(" AND ");
  const loaded = [isLoaded(snapshot), ...eventLimit(wanted)].join(" AND ");
  const plain = `SELECT ${columns} FROM ${eventsTable(snapshot.projectId)} WHERE ${loaded} AND ${kept}`;
  const updatable = latestUpdatable(snapshot.projectId, wanted, loaded);
  return `(${plain} UNION ALL SELECT ${columns} FROM ${updatable} m WHERE NOT is_moved AND ${kept})`;
}

/** The rows of one event are equal in its number and id, and may differ in all else. */
function latestUpdatable(projectId: number, { columns, properties }: EventsWanted, loaded: string): string {
  const needed = ["event", "event_id", "batch", "is_moved", "time_ms", "user_id"] as const;
  const selected = new Set([...needed, ...columns, ...properties.map(propertyColumn)]);
  const latest = "ORDER BY event, event_id, batch DESC LIMIT 1 BY event, event_id";
  return `(SELECT ${[...selected].join(", ")} FROM ${updatableTable(projectId)} WHERE ${loaded} ${latest})`;
}

function usersRelation(snapshot: ProjectSnapshot, { columns, properties, ids }: UsersWanted): string {
  if (isEmpty(snapshot)) return emptyRelation({ columns, properties });
  return latestUsers(snapshot, [...columns, ...properties.map(propertyColumn)], ids);
}

function latestUsers(snapshot: ProjectSnapshot, columns: readonly string[], ids?: string): string {
  const where = [isLoaded(snapshot), ...(ids === undefined ? [] : [`user_id IN (${ids})`])].join(" AND ");
  const latest = "ORDER BY user_id, batch DESC LIMIT 1 BY user_id";
  return `(SELECT ${columns.join(", ")} FROM ${usersTable(snapshot.projectId)} WHERE ${where} ${latest})`;
}

/**
 * Returns a SELECT of users in the order of their ids, with a last column as `withEmptyLists` adds it when there are
 * lists. Rows without values stand for users without rows: sorting them with the others takes less time than a join.
 */
function usersOf(snapshot: ProjectSnapshot, { columns, properties, ids }: Required<UsersWanted>): string {
  const lists = hasLists(properties) ? (["empty_lists"] as const) : [];
  const others = columns.filter((name) => name !== "user_id");
  const nothing = [
    ...others.map((name) => nothingOf(name, userColumns[name])),
    ...properties.map((one) => nothingOf(propertyColumn(one), propertyType(one))),
    ...lists.map((name) => nothingOf(name, userColumns[name])),
    "CAST(0 AS UInt64) AS batch",
  ];
  const without = `SELECT user_id, ${nothing.join(", ")} FROM (${ids}) s`;
  const names = ["user_id", ...others, ...properties.map(propertyColumn), ...lists].join(", ");
  if (isEmpty(snapshot)) return `SELECT ${names} FROM (${without}) u`;
  const table = usersTable(snapshot.projectId);
  // The engine would test the batch first, which all rows pass.
  const loaded = `PREWHERE user_id IN (${ids}) WHERE ${isLoaded(snapshot)}`;
  const stored = `SELECT ${names}, batch FROM ${table} ${loaded} SETTINGS max_block_size = ${blockRows.stored}`;
  return `SELECT ${names} FROM (${stored} UNION ALL ${without}) u ORDER BY user_id, batch DESC LIMIT 1 BY user_id`;
}

/** Reports whether properties may have empty lists. */
export const hasLists = (properties: readonly Property[]): boolean =>
  properties.some(({ type, group }) => type === "list" && group === undefined);

/**
 * Adds a last column to the rows of users: the numbers of the properties whose value is an empty list,
 * which their own columns do not tell from a missing one.
 */
export function withEmptyLists(users: string, snapshot: ProjectSnapshot): string {
  if (isEmpty(snapshot)) return `SELECT p.*, [] AS empty_lists FROM (${users}) p`;
  const lists = latestUsers(snapshot, ["user_id", "empty_lists"]);
  return `SELECT p.*, l.empty_lists FROM (${users}) p LEFT JOIN (SELECT * FROM ${lists} l WHERE notEmpty(empty_lists)) l ON l.user_id = p.user_id`;
}

function cohortRelation(snapshot: ProjectSnapshot, cohort: Cohort): string {
  const version = findCohort(snapshot.cohorts, cohort);
  return version === undefined
    ? "(SELECT CAST(0 AS Int64) AS user_id, CAST(NULL AS Nullable(String)) AS value WHERE false)"
    : `(SELECT user_id, value FROM ${cohortsTable(snapshot.projectId)} WHERE batch = ${version.batch})`;
}

/** Returns the latest version up to the cohort's day, or the latest of all. */
function findCohort(versions: readonly StoredCohort[], { name, day }: Cohort): StoredCohort | undefined {
  return versions
    .filter((version) => version.name === name && (day === undefined || version.day <= day))
    .reduce<StoredCohort | undefined>((a, b) => (a !== undefined && a.day > b.day ? a : b), undefined);
}

function columnsOf({ columns, properties, bucket, startMs, endMs }: EventsWanted): string {
  const selected = [
    ...columns,
    ...(bucket === undefined ? [] : [`${bucket(startMs, endMs)} AS bucket`]),
    ...properties.map(propertyColumn),
  ];
  // A relation needs a column, even when only its rows are counted.
  return selected.length === 0 ? "true AS present" : selected.join(", ");
}

const wholeMs = (ms: number): string => String(BigInt(Math.ceil(ms)));

type Range = Pick<EventsWanted, "startMs" | "endMs" | "events">;

function timeLimits({ startMs, endMs }: Range, alias?: string): string[] {
  const time = columnIn("time_ms", alias);
  return [
    ...(startMs === Number.NEGATIVE_INFINITY ? [] : [`${time} >= ${wholeMs(startMs)}`]),
    ...(endMs === Number.POSITIVE_INFINITY ? [] : [`${time} < ${wholeMs(endMs)}`]),
  ];
}

function eventLimit({ events }: Range, alias?: string): string[] {
  if (events === undefined) return [];
  return [events.length === 0 ? "false" : `${columnIn("event", alias)} IN (${events.join(", ")})`];
}

function emptyRelation({
  columns,
  properties,
  bucket,
}: {
  readonly columns: readonly (EventColumn | UserColumn)[];
  readonly properties: readonly Property[];
  readonly bucket?: EventsWanted["bucket"];
}): string {
  const selected = [
    ...columns.map((name) => nothingOf(name, eventColumns[name])),
    ...(bucket === undefined ? [] : [nothingOf("bucket", "Int32")]),
    ...properties.map((one) => nothingOf(propertyColumn(one), propertyType(one))),
  ];
  return `(SELECT ${selected.length === 0 ? "true AS present" : selected.join(", ")} WHERE false)`;
}

/** Returns a column without values: nulls, since an expression may fail at a value that no row has. */
function nothingOf(name: string, type: string): string {
  return `CAST(${type.startsWith("Array(") ? "[]" : "NULL"} AS ${type}) AS ${name}`;
}
