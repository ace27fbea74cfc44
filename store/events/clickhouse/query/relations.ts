import type { Cohort } from "../../scan.ts";
import type { Property } from "../../schema.ts";
import type { EventColumn, EventsWanted, Relations, UserColumn, UsersWanted } from "../../sql/relations.ts";
import {
  cohortsTable,
  eventColumns,
  eventsTable,
  isKept,
  isLoaded,
  type ProjectSnapshot,
  propertyColumn,
  propertyType,
  type StoredCohort,
  updatableTable,
  usersTable,
} from "../layout.ts";

/** Returns the tables of a project, as one request sees them, in the form that the compiler needs. */
export function relationsOf(snapshot: ProjectSnapshot): Relations {
  return {
    schema: snapshot.schema,
    hasEventsApart: true,
    // Rows are read again: the engine keeps no rows in less time than it reads columns.
    rowsAtMost: () => Number.POSITIVE_INFINITY,
    events: (wanted) => eventsRelation(snapshot, wanted),
    users: (wanted) => usersRelation(snapshot, wanted),
    cohort: (cohort) => cohortRelation(snapshot, cohort),
    column: propertyColumn,
  };
}

/** Without batches a project has no tables. */
const isEmpty = ({ watermark }: ProjectSnapshot): boolean => watermark <= 0;

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
  const needed = ["event", "event_id", "batch", "is_moved", "time_ms"] as const;
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

function timeLimits({ startMs, endMs }: EventsWanted): string[] {
  return [
    ...(startMs === Number.NEGATIVE_INFINITY ? [] : [`time_ms >= ${wholeMs(startMs)}`]),
    ...(endMs === Number.POSITIVE_INFINITY ? [] : [`time_ms < ${wholeMs(endMs)}`]),
  ];
}

function eventLimit({ events }: EventsWanted): string[] {
  return events === undefined ? [] : [`event IN (${events.join(", ")})`];
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
  // Nulls, since an expression may fail at a value that no row has.
  const nothing = (name: string, type: string) =>
    type.startsWith("Array(") ? `CAST([] AS ${type}) AS ${name}` : `CAST(NULL AS ${type}) AS ${name}`;
  const selected = [
    ...columns.map((name) => nothing(name, eventColumns[name])),
    ...(bucket === undefined ? [] : [nothing("bucket", "Int32")]),
    ...properties.map((one) => nothing(propertyColumn(one), propertyType(one))),
  ];
  return `(SELECT ${selected.length === 0 ? "true AS present" : selected.join(", ")} WHERE false)`;
}
