import { dayMs } from "../../../../base/time/units.ts";
import type { ExportedRecord, ExportRange } from "../../events.ts";
import {
  eventRecord,
  type PropertyForm,
  propertyForms,
  type StoredRow,
  userRecord,
} from "../../exported-record.ts";
import type { Property } from "../../schema.ts";
import { type DataTable, type ProjectTables, propertyColumn, visitorsRelation } from "../layout.ts";
import type { Snapshot } from "./query.ts";

/** Converting this many rows takes a few milliseconds. */
const rowsPerSlice = 512;

/**
 * Exports all users first, each after the records of its further visitors, then the events of each day,
 * then the updatable ones.
 */
export async function* exportRecords(
  snapshot: Snapshot,
  range: ExportRange,
  nowMs: number,
): AsyncGenerator<readonly ExportedRecord[], void> {
  const project = snapshot.tables.projects.get(range.projectId);
  if (project === undefined) return;
  if (range.users && project.users !== undefined) yield* exportUsers(snapshot, project, project.users, nowMs);
  for (const [day, table] of project.days) {
    const isOutside = (day + 1) * dayMs <= range.startMs || day * dayMs >= range.endMs;
    if (!isOutside) yield* exportEvents(snapshot, project, table, range);
  }
  if (project.updatable !== undefined)
    yield* exportEvents(snapshot, project, project.updatable, range, "event_id");
}

async function* exportUsers(
  snapshot: Snapshot,
  project: ProjectTables,
  table: DataTable,
  nowMs: number,
): AsyncGenerator<readonly ExportedRecord[], void> {
  const forms = propertyForms(project.schema, "user");
  const values = valuesText(table, [...project.schema.properties.values()]);
  const visitors = visitorsRelation(project);
  const rows = snapshot.stream(
    `SELECT account_id, distinct_id, given FROM (
       SELECT u.user_id, account_id, CASE WHEN v.user_id = u.user_id OR v.user_id IS NULL THEN distinct_id END AS distinct_id,
         ${values} AS given, 1 AS place
       FROM ${table.table} u LEFT JOIN ${visitors} v USING (distinct_id)
       UNION ALL
       SELECT user_id, account_id, v.distinct_id, '{}', 0
       FROM ${table.table} u JOIN ${visitors} v USING (user_id)
       WHERE v.distinct_id IS DISTINCT FROM u.distinct_id AND account_id IS NOT NULL)
     ORDER BY user_id, place`,
  );
  yield* records<UserRow>(rows, (row) => userRecord(storedRow(row), forms, nowMs));
}

type UserRow = readonly [accountId: string | null, distinctId: string | null, values: string];
type EventRow = readonly [...UserRow, event: number, timeMs: bigint, eventId: string | null];

async function* exportEvents(
  snapshot: Snapshot,
  { schema }: ProjectTables,
  table: DataTable,
  { startMs, endMs }: ExportRange,
  eventId = "NULL",
): AsyncGenerator<readonly ExportedRecord[], void> {
  const names = new Map([...schema.events.values()].map(({ name, number }) => [number, name]));
  const forms: readonly PropertyForm[] = propertyForms(schema, "event");
  const values = valuesText(table, [...schema.properties.values()]);
  const rows = snapshot.stream(
    `SELECT account_id, distinct_id, ${values}, event, time_ms, ${eventId} FROM ${table.table}
     WHERE time_ms >= $1 AND time_ms < $2`,
    [limit(startMs), limit(endMs)],
  );
  yield* records<EventRow>(rows, ([accountId, distinctId, text, event, timeMs, id]) =>
    eventRecord(
      {
        ...storedRow([accountId, distinctId, text]),
        event: names.get(event)!,
        timeMs: Number(timeMs),
        ...(id === null ? {} : { eventId: id }),
      },
      forms,
    ),
  );
}

/** Times of events have 13 digits. */
const limit = (ms: number): number =>
  Math.max(-Number.MAX_SAFE_INTEGER, Math.min(ms, Number.MAX_SAFE_INTEGER));

/** Returns all values of a row as one JSON text, which is several times as fast to read as each of them. */
function valuesText({ properties: has }: DataTable, all: readonly Property[]): string {
  const fields = all
    .filter(({ number }) => has.has(number))
    .map((one) => `"${one.number}": ${propertyColumn(one)}`);
  return fields.length === 0 ? "'{}'" : `to_json({${fields.join(", ")}})::VARCHAR`;
}

function storedRow([accountId, distinctId, values]: UserRow): StoredRow {
  const entries = Object.entries(JSON.parse(values) as object);
  return { accountId, distinctId, values: new Map(entries.map(([key, value]) => [Number(key), value])) };
}

async function* records<R extends readonly unknown[]>(
  chunks: ReturnType<Snapshot["stream"]>,
  convert: (row: R) => ExportedRecord,
): AsyncGenerator<readonly ExportedRecord[], void> {
  for await (const chunk of chunks) {
    const rows = chunk.getRows() as unknown as R[];
    for (let at = 0; at < rows.length; at += rowsPerSlice)
      yield rows.slice(at, at + rowsPerSlice).map(convert);
  }
}
