import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ClickHouseStoreOptions,
  openClickHouseStore,
} from "../../../store/events/clickhouse/clickhouse.ts";
import type { LoadBatch, Property } from "../../../store/events/events.ts";
import { makeFolder } from "../../harness/processes.ts";
import {
  dayMs,
  days,
  eventNumber,
  eventShares,
  events,
  firstDayMs,
  firstUser,
  projectId,
  properties,
} from "../data.ts";

/** Runs one statement on a server and returns its result as text. */
export type RunSql = (sql: string) => Promise<string>;

/** The batches of a day, whose numbers the rows contain. */
const batchesPerDay = 10;
const batchMs = dayMs / batchesPerDay;

const all: readonly Property[] = Object.values(properties);
const eventProperties = all.filter(({ table }) => table === "event");
const userProperties = all.filter(({ table }) => table === "user");

/** SQL for the value of each property of event `e` and user number `n`, with random `a` … `d` from 0 to 1. */
const values: Readonly<Record<keyof typeof properties, string>> = {
  city: "'city_' || toString(if(a < 0.9, cityHash64(n) % 40, toUInt64(b * 40)))",
  channel: "'channel_' || toString(cityHash64(n + 7) % 8)",
  server: "'server_' || toString(toUInt64(pow(c, 1.3) * 1000))",
  device: "'device_' || toString(cityHash64(n + 3) % 300)",
  version: "'v1.' || toString(toUInt64(b * 12))",
  level: "1 + floor(d * 60)",
  price: `if(e = ${eventNumber("purchase")}, round(exp(a * 5) * 100) / 100, NULL)`,
  duration: `if(e IN (${eventNumber("view")}, ${eventNumber("logout")}), round(-log(1 - b) * 120, 3), NULL)`,
  vip: "CAST(cityHash64(n + 11) % 10 = 0 AS Bool)",
  items: `if(e IN (${eventNumber("purchase")}, ${eventNumber("battle")}),
    arrayMap(x -> 'item_' || toString(toUInt64(x * 100)), [b, c, d]), [])`,
  registered: `${firstDayMs} - toInt64(cityHash64(n + 13) % 8640000000)`,
  score: "floor(c * 10000) / 10",
  country: "'country_' || toString(cityHash64(n + 17) % 30)",
  spent: "(cityHash64(n + 19) % 10000) / 10",
};

export interface DataWanted {
  /** Of all shards. */
  readonly events: number;
  readonly users: number;
  /** Default: the only one. */
  readonly shard?: { readonly number: number; readonly count: number };
  /** Leaves events in the parts that the inserts made. Default false. */
  readonly unmerged?: boolean;
}

/** Loads the batches that the rows will contain, each with one event, so that the store has all tables and names. */
export async function makeStore(options: ClickHouseStoreOptions): Promise<void> {
  const folder = join(makeFolder(), "batches");
  mkdirSync(folder);
  await using store = await openClickHouseStore(options);
  for (let batch = 0; batch < days * batchesPerDay; batch++) await store.load(batchOf(batch, folder));
}

function batchOf(batch: number, folder: string): LoadBatch {
  const t = firstDayMs + batch * batchMs;
  const file = join(folder, `events-${batch}`);
  const line = { e: 1, t, r: t, u: firstUser, a: "x", d: "x", p: {} };
  writeFileSync(file, `${JSON.stringify(line)}\n`);
  const isFirst = batch === 0;
  return {
    from: { number: 0, offset: batch },
    to: { number: 0, offset: batch + 1 },
    projects: [
      {
        projectId,
        newEvents: isFirst ? events : [],
        newProperties: isFirst ? all : [],
        days: [{ day: Math.floor(t / dayMs), file, events: 1, properties: [] }],
        counts: { events: 1, updates: 0, seen: 0, users: 0 },
      },
    ],
  };
}

/** Replaces the rows of the store's tables by generated ones, and merges their parts unless told otherwise. */
export async function fillStore(run: RunSql, wanted: DataWanted): Promise<void> {
  for (const table of [`e${projectId}`, `u${projectId}`]) await run(`TRUNCATE TABLE ${table}`);
  await run(insertUsers(wanted));
  await run(insertEvents(wanted));
  const merged = wanted.unmerged === true ? [`u${projectId}`] : [`e${projectId}`, `u${projectId}`];
  for (const table of merged) await run(`OPTIMIZE TABLE ${table} FINAL`);
}

/** Returns the condition for the users `n` of a shard. The benchmark needs no other division than one by user. */
const isOfShard = ({ shard = { number: 0, count: 1 } }: DataWanted): string =>
  `n % ${shard.count} = ${shard.number}`;

function insertUsers(wanted: DataWanted): string {
  const columns = userProperties.map(({ number }) => `p${number}`);
  const selected = userProperties.map(({ name }) => values[name as keyof typeof values]);
  return `INSERT INTO u${projectId} (user_id, account_id, distinct_id, batch, ${columns.join(", ")})
    SELECT ${firstUser} + number AS user_id, 'account_' || toString(number), 'visitor_' || toString(number), 1,
      ${selected.join(", ")} FROM (SELECT number, number AS n FROM numbers(${wanted.users})) WHERE ${isOfShard(wanted)}`;
}

function insertEvents(wanted: DataWanted): string {
  const random = ["x", "y", "z", "a", "b", "c", "d"].map(
    (name, at) => `cityHash64(number, ${at}) / 18446744073709551616. AS ${name}`,
  );
  const branches = eventShares.slice(0, -1).map((_, at) => `x < ${cumulated(at)}, ${at + 1}`);
  const columns = eventProperties.map(({ number }) => `p${number}`);
  const selected = eventProperties.map(({ name }) => values[name as keyof typeof values]);
  return `INSERT INTO e${projectId}
      (event, time_ms, received_ms, user_id, account_id, distinct_id, batch, ${columns.join(", ")})
    SELECT e, t, t + 1500, ${firstUser} + n, if(n % 3 > 0, 'account_' || toString(n), NULL), 'visitor_' || toString(n),
      1 + intDiv(t - ${firstDayMs}, ${batchMs}), ${selected.join(", ")}
    FROM (
      SELECT multiIf(${branches.join(", ")}, ${events.length}) AS e,
        ${firstDayMs} + toInt64(y * ${days * dayMs}) AS t, toInt64(floor(pow(z, 1.5) * ${wanted.users})) AS n, a, b, c, d
      FROM (SELECT ${random.join(", ")} FROM numbers(${wanted.events}))
    ) WHERE ${isOfShard(wanted)}`;
}

function cumulated(index: number): number {
  return eventShares.slice(0, index + 1).reduce((sum, [, share]) => sum + share, 0);
}

/** Makes the tables that one would write by hand: names for events, timestamps for times. */
export async function makePeer(run: RunSql): Promise<void> {
  const names = events.map(({ name }) => `'${name}'`).join(", ");
  const columns = eventProperties.map(({ number, name, type }) =>
    type === "time"
      ? `fromUnixTimestamp64Milli(assumeNotNull(p${number}), 'UTC') AS ${name}`
      : `p${number} AS ${name}`,
  );
  await run(`CREATE TABLE peer ENGINE = MergeTree PARTITION BY toYYYYMM(time) ORDER BY (event, time) AS
    SELECT CAST([${names}][event] AS LowCardinality(String)) AS event, fromUnixTimestamp64Milli(time_ms, 'UTC') AS time,
      user_id, account_id, distinct_id, ${columns.join(", ")} FROM e${projectId}`);
  const ofUsers = userProperties.map(({ number, name }) => `p${number} AS ${name}`);
  await run(`CREATE TABLE peer_users ENGINE = MergeTree ORDER BY user_id AS
    SELECT user_id, account_id, distinct_id, ${ofUsers.join(", ")} FROM u${projectId}`);
  for (const table of ["peer", "peer_users"]) await run(`OPTIMIZE TABLE ${table} FINAL`);
}
