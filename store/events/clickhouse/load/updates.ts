import { createYield } from "../../../../base/async/yield.ts";
import type { PreparedUpdate } from "../../load.ts";
import type { Property } from "../../schema.ts";
import { wholeOf } from "../../user-operations.ts";
import { isKept, isLoaded, propertyColumn, updatableColumns, updatableTable } from "../layout.ts";
import type { Project } from "../projects.ts";
import { shardOfUser } from "../shards.ts";
import { insertRows, type NewRow, textLiteral, valueColumns, valuesOf } from "./rows.ts";
import type { Target } from "./target.ts";

/** An updatable event while lines change it. */
interface UpdatableEvent {
  readonly event: number;
  readonly eventId: string;
  timeMs: number;
  receivedMs: number;
  userId: number;
  accountId: string | null;
  distinctId: string | null;
  values: Map<number, unknown>;
}

interface StoredEvent extends UpdatableEvent {
  readonly batch: number;
  readonly shard: number;
}

/** How a property follows the object that contains it. */
interface Member {
  readonly whole: number | undefined;
  readonly members: readonly number[];
}

/** Events whose rows are read by one statement. */
const eventsPerRead = 2_000;

/**
 * Writes a new row for each event of lines of PreparedUpdate: the event's last row is read, and the lines are applied
 * to it in order. An event whose user belongs to another shard now is marked as moved where it was.
 */
export async function loadUpdates(target: Target, lines: AsyncIterable<readonly string[]>): Promise<void> {
  const byEvent = await readUpdates(lines);
  const stored = await readStored(
    target,
    [...byEvent.values()].map(([first]) => first!),
  );
  const members = membersOf(target);
  const lists = Array.from({ length: target.connection.shardCount }, (): NewRow[] => []);
  const yieldToEventLoop = createYield();
  for (const [key, lines] of byEvent) {
    const before = stored.get(key);
    let event: UpdatableEvent | undefined = before;
    for (const line of lines) event = apply(event, line, members);
    const shard = shardOfUser(event!.userId, lists.length);
    lists[shard]!.push(rowOf(event!, target.batch));
    if (before !== undefined && before.shard !== shard)
      lists[before.shard]!.push(movedRow(before, target.batch));
    await yieldToEventLoop();
  }
  const columns = [...Object.keys(updatableColumns), ...propertiesOf(target).map(propertyColumn)];
  await insertRows(target, updatableTable(target.projectId), columns, new Map(lists.entries()));
}

const keyOf = (event: number, eventId: string): string => `${event} ${eventId}`;

async function readUpdates(
  chunks: AsyncIterable<readonly string[]>,
): Promise<ReadonlyMap<string, readonly PreparedUpdate[]>> {
  const byEvent = new Map<string, PreparedUpdate[]>();
  for await (const lines of chunks) {
    for (const line of lines) {
      const update = JSON.parse(line) as PreparedUpdate;
      const key = keyOf(update.e, update.i);
      const before = byEvent.get(key);
      if (before === undefined) byEvent.set(key, [update]);
      else before.push(update);
    }
  }
  return byEvent;
}

const propertiesOf = ({ schema }: Target): readonly Property[] =>
  [...schema.properties.values()].filter(({ table }) => table === "event");

async function readStored(
  target: Target,
  updates: readonly PreparedUpdate[],
): Promise<ReadonlyMap<string, StoredEvent>> {
  const { connection, before, signal } = target;
  const stored = new Map<string, StoredEvent>();
  if (before === undefined) return stored;
  for (let at = 0; at < updates.length; at += eventsPerRead) {
    const some = updates.slice(at, at + eventsPerRead);
    const parts = await connection.onEach(
      (shard, ended) => readShard({ ...target, signal: ended }, before, shard, some),
      signal,
    );
    for (const one of parts.flat()) {
      const key = keyOf(one.event, one.eventId);
      const other = stored.get(key);
      if (other === undefined || other.batch < one.batch) stored.set(key, one);
    }
  }
  return stored;
}

type Row = [
  event: number,
  eventId: string,
  timeMs: string,
  receivedMs: string,
  userId: string,
  accountId: string | null,
  distinctId: string | null,
  batch: string,
  ...values: unknown[],
];

async function readShard(
  target: Target,
  before: Project,
  shard: number,
  updates: readonly PreparedUpdate[],
): Promise<StoredEvent[]> {
  const { connection, projectId, signal } = target;
  const table = updatableTable(projectId);
  const properties = propertiesOf(target);
  const columns = [
    "event",
    "event_id",
    "time_ms",
    "received_ms",
    "user_id",
    "account_id",
    "distinct_id",
    "batch",
  ];
  const keys = updates.map(({ e, i }) => `(${e}, ${textLiteral(i)})`);
  const rows = await connection.rows<Row>(shard, {
    sql: `SELECT ${[...columns, ...properties.map(propertyColumn)].join(", ")} FROM ${table}
      WHERE (event, event_id, batch) IN (
        SELECT event, event_id, max(batch) FROM ${table}
        WHERE (event, event_id) IN (${keys.join(", ")}) AND ${isLoaded(before)} GROUP BY event, event_id)
      AND NOT is_moved AND ${isKept(before)}`,
    signal,
  });
  return rows.map((row) => ({
    event: row[0],
    eventId: row[1],
    timeMs: Number(row[2]),
    receivedMs: Number(row[3]),
    userId: Number(row[4]),
    accountId: row[5],
    distinctId: row[6],
    batch: Number(row[7]),
    shard,
    values: valuesOf(row, columns.length, properties),
  }));
}

/** Returns how each property of events follows an object, by number. */
function membersOf({ schema }: Target): ReadonlyMap<number, Member> {
  const own = [...schema.properties.values()].filter(({ table }) => table === "event");
  const wholes = new Map(own.map((one) => [one.number, wholeOf(schema, one)?.number]));
  return new Map(
    own.map(({ number }) => {
      const members = own.filter((one) => wholes.get(one.number) === number);
      return [number, { whole: wholes.get(number), members: members.map((one) => one.number) }];
    }),
  );
}

/** Applies a line: an `overwrite` replaces everything, an `update` keeps what it does not give. */
function apply(
  before: UpdatableEvent | undefined,
  line: PreparedUpdate,
  members: ReadonlyMap<number, Member>,
): UpdatableEvent {
  const isKeeping = before !== undefined && line.o === "update";
  const keepsIds = isKeeping && before.userId === line.u;
  const values = isKeeping ? new Map(before.values) : new Map<number, unknown>();
  const given = (number: number): unknown => line.p[number] ?? undefined;
  for (const key of Object.keys(line.p)) {
    const number = Number(key);
    const member = members.get(number);
    // Members change with their object.
    if (member === undefined || member.whole !== undefined || given(number) === undefined) continue;
    values.set(number, given(number));
    for (const one of member.members) {
      if (given(one) === undefined) values.delete(one);
      else values.set(one, given(one));
    }
  }
  return {
    event: line.e,
    eventId: line.i,
    timeMs: line.t,
    receivedMs: line.r,
    userId: line.u,
    accountId: line.a ?? (keepsIds ? before.accountId : null),
    distinctId: line.d ?? (keepsIds ? before.distinctId : null),
    values,
  };
}

function rowOf(event: UpdatableEvent, batch: number): NewRow {
  return {
    event: event.event,
    event_id: event.eventId,
    time_ms: event.timeMs,
    received_ms: event.receivedMs,
    user_id: event.userId,
    account_id: event.accountId,
    distinct_id: event.distinctId,
    batch,
    ...valueColumns(event.values),
  };
}

function movedRow(event: UpdatableEvent, batch: number): NewRow {
  return { ...rowOf({ ...event, values: new Map() }, batch), is_moved: true };
}
