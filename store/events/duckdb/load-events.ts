import type { Property } from "../schema.ts";
import { ensureColumns } from "./data-table.ts";
import { type DayTable, dayMs, dayTableName, eventColumns, propertyColumn } from "./layout.ts";
import { insertRows } from "./registry.ts";
import type { Session } from "./session.ts";
import { fileRelation } from "./staging.ts";

/** Columns of the lines of events, by their keys. */
export const eventKeys = {
  e: ["event", "INTEGER"],
  t: ["time_ms", "BIGINT"],
  r: ["received_ms", "BIGINT"],
  u: ["user_id", "BIGINT"],
  a: ["account_id", "VARCHAR"],
  d: ["distinct_id", "VARCHAR"],
} as const;

interface StagedDay {
  readonly day: number;
  readonly events: number;
  readonly properties: readonly Property[];
}

/** Puts the rows of a file into the tables of their days; one pass over the file. */
export async function loadEvents(
  session: Session,
  projectId: number,
  days: ReadonlyMap<number, DayTable>,
  file: string,
  properties: readonly Property[],
): Promise<ReadonlyMap<number, DayTable>> {
  const rows = fileRelation(file, eventKeys, properties);
  await session.run(`CREATE TEMP TABLE staged_events AS FROM ${rows}`);
  const staged = await stagedDays(session, properties);
  const next = new Map(days);
  for (const one of staged) next.set(one.day, await loadDay(session, projectId, days.get(one.day), one));
  await session.run("DROP TABLE staged_events");
  await recordDays(session, projectId, days, staged);
  // Queries read the days in order.
  return new Map([...next].sort(([a], [b]) => a - b));
}

async function stagedDays(session: Session, properties: readonly Property[]): Promise<readonly StagedDay[]> {
  const used = properties.map((one) => `count(${propertyColumn(one)}) > 0`);
  const rows = await session.rows<[number, bigint, boolean[]]>(
    `SELECT floor(time_ms / ${dayMs}.0)::INTEGER AS day, count(*), [${used.join(", ")}]
     FROM staged_events GROUP BY day ORDER BY day`,
  );
  return rows.map(([day, events, isUsed]) => ({
    ...{ day, events: Number(events) },
    properties: properties.filter((_, at) => isUsed[at]),
  }));
}

async function loadDay(
  session: Session,
  projectId: number,
  existing: DayTable | undefined,
  { day, events, properties }: StagedDay,
): Promise<DayTable> {
  const generation = existing?.generation ?? 0;
  const name = dayTableName(projectId, day, generation);
  const table = await ensureColumns(session, name, existing, eventColumns, properties);
  const columns = [...Object.keys(eventColumns), ...properties.map(propertyColumn)].join(", ");
  await session.run(
    `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM staged_events
     WHERE time_ms >= ${day * dayMs} AND time_ms < ${(day + 1) * dayMs}`,
  );
  return {
    ...{ table: name, properties: table.properties, generation },
    events: (existing?.events ?? 0) + events,
    isSorted: false,
  };
}

async function recordDays(
  session: Session,
  projectId: number,
  before: ReadonlyMap<number, DayTable>,
  staged: readonly StagedDay[],
): Promise<void> {
  const known = staged.filter(({ day }) => before.has(day));
  const unknown = staged.filter(({ day }) => !before.has(day));
  const added = unknown.map(({ day, events }) => [projectId, day, 0, events, false]);
  await insertRows(session, "days", added);
  if (known.length === 0) return;
  const values = known.map(({ day, events }) => `(${day}, ${events})`).join(", ");
  await session.run(
    `UPDATE days SET events = days.events + more.events, sorted = false
     FROM (VALUES ${values}) AS more (day, events) WHERE project = ${projectId} AND days.day = more.day`,
  );
}
