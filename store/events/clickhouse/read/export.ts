import { dayMs } from "../../../../base/time/units.ts";
import type { ExportedRecord, ExportRange } from "../../events.ts";
import { eventRecord, propertyForms, type StoredRow, userRecord } from "../../exported-record.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Property } from "../../schema.ts";
import type { Connection } from "../connection.ts";
import {
  eventsTable,
  isKept,
  isLoaded,
  type ProjectSnapshot,
  propertyColumn,
  updatableTable,
  usersTable,
} from "../layout.ts";
import { valuesOf } from "../load/rows.ts";
import { visitorsRelation } from "./relations.ts";
import { oneByOne, streamMerged, streamRows } from "./row-stream.ts";

export interface ExportSource {
  readonly connection: Connection;
  readonly ledger: Pick<Ledger, "call">;
  readonly project: ProjectSnapshot;
  /** The time of records of users. */
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** Converting this many rows takes a few milliseconds. */
const rowsPerSlice = 512;

/**
 * Exports all users first, each after the records of its further visitors, then the events of each day,
 * then the updatable ones.
 */
export async function* exportRecords(
  source: ExportSource,
  range: ExportRange,
): AsyncGenerator<readonly ExportedRecord[], void> {
  const { connection, ledger, project } = source;
  const days = await ledger.call("readDays", project.projectId);
  if (range.users) yield* inSlices(exportUsers(source));
  const shards = Array.from({ length: connection.shardCount }, (_, shard) => shard);
  for (const { day } of days) {
    const [startMs, endMs] = [Math.max(range.startMs, day * dayMs), Math.min(range.endMs, (day + 1) * dayMs)];
    if (startMs >= endMs) continue;
    for (const shard of shards) yield* inSlices(exportEvents(source, shard, { startMs, endMs }));
  }
  for (const shard of shards) yield* inSlices(exportUpdatable(source, shard, range));
}

async function* inSlices(
  records: AsyncGenerator<ExportedRecord, void>,
): AsyncGenerator<readonly ExportedRecord[], void> {
  let slice: ExportedRecord[] = [];
  for await (const record of records) {
    slice.push(record);
    if (slice.length < rowsPerSlice) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}

type UserRow = [userId: string, accountId: string | null, distinctId: string | null, ...values: unknown[]];
type VisitorRow = [userId: string, distinctId: string];

/** The rows of a user follow each other, the latest last. */
async function* exportUsers(source: ExportSource): AsyncGenerator<ExportedRecord, void> {
  const { connection, project, nowMs, signal } = source;
  const properties = propertiesOf(project, "user");
  const forms = propertyForms(project.schema, "user");
  const columns = ["user_id", "account_id", "distinct_id", ...properties.map(propertyColumn)];
  const users = streamMerged<UserRow>(
    connection,
    {
      sql: `SELECT ${columns.join(", ")} FROM ${usersTable(project.projectId)} WHERE ${isLoaded(project)}
        ORDER BY user_id, batch`,
      signal,
    },
    ([userId]) => Number(userId),
  );
  const visitors = visitorsByUser(source);
  let next = await visitors.next();
  try {
    for await (const row of lastOfEach(oneByOne(users), ([userId]) => userId)) {
      const [userId, accountId, distinctId] = row;
      while (next.done !== true && Number(next.value[0]) < Number(userId)) next = await visitors.next();
      const own = new Set<string>();
      while (next.done !== true && next.value[0] === userId) {
        own.add(next.value[1]);
        next = await visitors.next();
      }
      for (const visitor of own) {
        const nothing: StoredRow = { accountId, distinctId: visitor, values: new Map() };
        if (visitor !== distinctId && accountId !== null) yield userRecord(nothing, forms, nowMs);
      }
      // The last visitor of a user may belong to another one.
      const shown = distinctId !== null && own.has(distinctId) ? distinctId : null;
      yield userRecord({ accountId, distinctId: shown, values: valuesOf(row, 3, properties) }, forms, nowMs);
    }
  } finally {
    await visitors.return();
  }
}

function visitorsByUser({ connection, project, signal }: ExportSource): AsyncGenerator<VisitorRow, void> {
  const sql = `SELECT user_id, distinct_id FROM ${visitorsRelation(project)} ORDER BY user_id, distinct_id`;
  return oneByOne(streamMerged<VisitorRow>(connection, { sql, signal }, ([userId]) => Number(userId)));
}

type EventRow = [
  accountId: string | null,
  distinctId: string | null,
  event: number,
  timeMs: string,
  eventId: string,
  isMoved: boolean,
  ...values: unknown[],
];

async function* exportEvents(
  source: ExportSource,
  shard: number,
  { startMs, endMs }: Pick<ExportRange, "startMs" | "endMs">,
): AsyncGenerator<ExportedRecord, void> {
  const { connection, project, signal } = source;
  const limits = `time_ms >= ${Math.ceil(startMs)} AND time_ms < ${Math.ceil(endMs)}`;
  const sql = `SELECT account_id, distinct_id, event, time_ms, '', false${valueList(project)}
    FROM ${eventsTable(project.projectId)} WHERE ${isLoaded(project)} AND ${isKept(project)} AND ${limits}`;
  const convert = recordsOf(project);
  for await (const rows of streamRows<EventRow>(connection, shard, { sql, signal }))
    for (const row of rows) yield convert(row, undefined);
}

async function* exportUpdatable(
  source: ExportSource,
  shard: number,
  { startMs, endMs }: ExportRange,
): AsyncGenerator<ExportedRecord, void> {
  const { connection, project, signal } = source;
  const sql = `SELECT account_id, distinct_id, event, time_ms, event_id, is_moved OR NOT (${isKept(project)})${valueList(project)}
    FROM ${updatableTable(project.projectId)} WHERE ${isLoaded(project)} ORDER BY event, event_id, batch`;
  const rows = oneByOne(streamRows<EventRow>(connection, shard, { sql, signal }));
  const convert = recordsOf(project);
  for await (const row of lastOfEach(rows, (one) => `${one[2]} ${one[4]}`)) {
    const timeMs = Number(row[3]);
    if (!row[5] && timeMs >= startMs && timeMs < endMs) yield convert(row, row[4]);
  }
}

function recordsOf(project: ProjectSnapshot): (row: EventRow, eventId: string | undefined) => ExportedRecord {
  const names = new Map([...project.schema.events.values()].map(({ name, number }) => [number, name]));
  const forms = propertyForms(project.schema, "event");
  const properties = propertiesOf(project, "event");
  return (row, eventId) => {
    const [accountId, distinctId, event, timeMs] = row;
    return eventRecord(
      {
        accountId,
        distinctId,
        values: valuesOf(row, 6, properties),
        event: names.get(event)!,
        timeMs: Number(timeMs),
        ...(eventId === undefined ? {} : { eventId }),
      },
      forms,
    );
  };
}

const propertiesOf = ({ schema }: ProjectSnapshot, table: Property["table"]): readonly Property[] =>
  [...schema.properties.values()].filter((one) => one.table === table);

const valueList = (project: ProjectSnapshot): string =>
  propertiesOf(project, "event")
    .map((one) => `, ${propertyColumn(one)}`)
    .join("");

/** Returns the last of neighbours with one key. */
async function* lastOfEach<R>(
  rows: AsyncGenerator<R, void>,
  keyOf: (row: R) => string,
): AsyncGenerator<R, void> {
  let last: R | undefined;
  for await (const row of rows) {
    if (last !== undefined && keyOf(last) !== keyOf(row)) yield last;
    last = row;
  }
  if (last !== undefined) yield last;
}
