import type { DayRows } from "../../load.ts";
import type { ProjectSchema, Property } from "../../schema.ts";
import { type DayTable, dayTableName, eventColumns, propertyColumn } from "../layout.ts";
import type { Session } from "../session.ts";
import { ensureColumns } from "./data-table.ts";
import { insertRows } from "./registry.ts";
import { columnsRelation, fileRelation } from "./staging.ts";

/** The columns of events, by their keys in lines and their names in Parquet files. */
export const eventKeys = {
  e: ["event", "INTEGER"],
  t: ["time_ms", "BIGINT"],
  r: ["received_ms", "BIGINT"],
  u: ["user_id", "BIGINT"],
  a: ["account_id", "VARCHAR"],
  d: ["distinct_id", "VARCHAR"],
} as const;

/** Inserts the rows of files into the tables of their days. */
export async function loadEvents(
  session: Session,
  projectId: number,
  days: ReadonlyMap<number, DayTable>,
  files: readonly DayRows[],
  { properties }: ProjectSchema,
): Promise<ReadonlyMap<number, DayTable>> {
  const byNumber = new Map([...properties.values()].map((one) => [one.number, one]));
  const next = new Map(days);
  for (const one of files) {
    const used = one.properties.map((number) => byNumber.get(number)!);
    next.set(one.day, await loadDay(session, projectId, days.get(one.day), one, used));
  }
  await recordDays(session, projectId, days, files);
  // Queries read the days in order.
  return new Map([...next].sort(([a], [b]) => a - b));
}

async function loadDay(
  session: Session,
  projectId: number,
  existing: DayTable | undefined,
  { day, file, format, events }: DayRows,
  properties: readonly Property[],
): Promise<DayTable> {
  const generation = existing?.generation ?? 0;
  const name = dayTableName(projectId, day, generation);
  const table = await ensureColumns(session, name, existing, eventColumns, properties);
  const columns = [...Object.keys(eventColumns), ...properties.map(propertyColumn)].join(", ");
  const relation = format === "columns" ? columnsRelation : fileRelation;
  const rows = relation(file, eventKeys, properties);
  // A temporary table would double the work, and the memory of each column.
  await session.run(
    `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM ${rows} ${unionOfNone(columns)}`,
  );
  return {
    table: name,
    properties: table.properties,
    generation,
    events: (existing?.events ?? 0) + events,
    isSorted: false,
  };
}

/**
 * Returns a union with no rows. Since its source does not number batches of rows, the engine inserts all rows as they
 * come. Otherwise it collects them in tables of each thread, and copies those again in the end, as they are less than a
 * group of rows.
 */
const unionOfNone = (columns: string): string =>
  `UNION ALL SELECT ${columns.replaceAll(/[^, ]+/g, "NULL")} FROM range(0)`;

async function recordDays(
  session: Session,
  projectId: number,
  before: ReadonlyMap<number, DayTable>,
  files: readonly DayRows[],
): Promise<void> {
  const known = files.filter(({ day }) => before.has(day));
  const unknown = files.filter(({ day }) => !before.has(day));
  const added = unknown.map(({ day, events }) => [projectId, day, 0, events, false]);
  await insertRows(session, "days", added);
  if (known.length === 0) return;
  const values = known.map(({ day, events }) => `(${day}, ${events})`).join(", ");
  await session.run(
    `UPDATE days SET events = days.events + more.events, sorted = false
     FROM (VALUES ${values}) AS more (day, events) WHERE project = ${projectId} AND days.day = more.day`,
  );
}
