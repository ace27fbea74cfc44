import { parseArgs } from "node:util";
import { openClickHouseStore } from "../../store/events/clickhouse/clickhouse.ts";
import { Database } from "../../store/events/duckdb/database.ts";
import { createQueries } from "../../store/events/duckdb/query/query.ts";
import { createVolumes } from "../../store/events/duckdb/query/volumes.ts";
import type { EventStore, Property, ValuesWanted } from "../../store/events/events.ts";
import { fillStore, makePeer, makeStore } from "./clickhouse/data.ts";
import { areInstalled, startStore } from "./clickhouse/servers.ts";
import { compete, ownCpuMs, report, type Score } from "./contest.ts";
import { dayMs, eventNumber, firstDayMs, projectId, properties, storeOptions, users } from "./data.ts";
import { dataArguments, openData } from "./generated.ts";

/**
 * Measures what the catalogue of a project reads, against SQL written by hand for one table sorted by event and time:
 * with DuckDB in the same process, or with ClickHouse over HTTP to the same server. Nothing is kept between readings.
 */
const { values } = parseArgs({
  options: { ...dataArguments, engine: { type: "string", default: "duckdb" } },
});
const rounds = Number(values.rounds);
const { signal } = new AbortController();

type Reads = Pick<EventStore, "volumes" | "topValues">;

interface Engine extends AsyncDisposable {
  /** Returns reads which keep nothing yet. */
  fresh(): Reads;
  run(sql: string): Promise<unknown>;
  cpuMs(): number;
}

async function openDuckDb(): Promise<Engine> {
  const database = await Database.open(storeOptions(await openData(values)));
  const session = await database.session();
  const queries = createQueries(database, { maxQueries: 2, maxWaiting: 10 });
  return {
    fresh: () => createVolumes(queries),
    run: async (sql) => (await session.run(sql)).getColumns(),
    cpuMs: ownCpuMs,
    [Symbol.asyncDispose]: () => database.close(),
  };
}

async function openClickHouse(): Promise<Engine> {
  await using opened = new AsyncDisposableStack();
  const servers = opened.use(await startStore(1));
  await makeStore(servers.options);
  await fillStore(servers.sqlOf(0), { events: Number(values.events), users });
  await makePeer(servers.sqlOf(0));
  const stores: EventStore[] = [];
  // One for each reading of what is kept, with the first round.
  for (let at = 0; at < rounds + 2; at++) stores.push(opened.use(await openClickHouseStore(servers.options)));
  const stack = opened.move();
  return {
    fresh: () => (stores.length > 1 ? stores.pop()! : stores[0]!),
    run: servers.sqlOf(0),
    cpuMs: () => ownCpuMs() + servers.shardCpuMs()[0]!,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const wantedOf = (property: Property, more: Partial<ValuesWanted> = {}): ValuesWanted => ({
  projectId,
  table: property.table,
  of: { kind: "property", property },
  zone: [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: 0 }],
  startMs: Number.NEGATIVE_INFINITY,
  endMs: Number.POSITIVE_INFINITY,
  events: undefined,
  limit: 20,
  ...more,
});

const { city, server, price, items, score, country } = properties;
const login = [eventNumber("login")];
const week = { startMs: firstDayMs + 7 * dayMs, endMs: firstDayMs + 14 * dayMs };

const topOf = (column: string, from: string): string =>
  `SELECT ${column} AS v, count(*) AS n FROM ${from} GROUP BY v ORDER BY n DESC, v LIMIT 20`;

/** The values that are wanted, and SQL with the same ones. */
const readings: Readonly<Record<string, readonly [ValuesWanted, (engine: string) => string]>> = {
  "values of 40": [wantedOf(city), () => topOf("city", "peer WHERE city IS NOT NULL")],
  "values of 40, one event": [
    wantedOf(city, { events: login }),
    () => topOf("city", "peer WHERE city IS NOT NULL AND event = 'login'"),
  ],
  "values of 40, one week": [
    wantedOf(city, week),
    () =>
      topOf(
        "city",
        "peer WHERE city IS NOT NULL AND time >= '2026-01-08 00:00:00' AND time < '2026-01-15 00:00:00'",
      ),
  ],
  "values of 1,000 with a beginning": [
    wantedOf(server, { prefix: "server_12" }),
    (engine) =>
      topOf(
        "server",
        `peer WHERE ${engine === "duckdb" ? "starts_with" : "startsWith"}(server, 'server_12')`,
      ),
  ],
  "numbers of 10,000": [wantedOf(score), () => topOf("score", "peer WHERE score IS NOT NULL")],
  "numbers of one event of ten": [wantedOf(price), () => topOf("price", "peer WHERE price IS NOT NULL")],
  "elements of lists": [
    wantedOf(items),
    (engine) =>
      engine === "duckdb"
        ? topOf("item", "(SELECT unnest(list_distinct(items)) AS item FROM peer WHERE len(items) > 0) i")
        : topOf("arrayJoin(arrayDistinct(items))", "peer WHERE notEmpty(items)"),
  ],
};

const counted = Object.values(properties).filter(({ table }) => table === "event");
const volumesByHand = `SELECT event, count(*), min(time), max(time), count(account_id), count(distinct_id),
  ${counted.map(({ name, type }) => (type === "list" ? "sum(length(items))" : `count(${name})`)).join(", ")}
  FROM peer GROUP BY event`;

if (values.engine === "clickhouse" && !areInstalled()) process.exit();
await using engine = await (values.engine === "clickhouse" ? openClickHouse() : openDuckDb());
const contest = { rounds, cpuMs: engine.cpuMs };
const scores = new Map<string, Score>();
const measure = async (name: string, ours: () => Promise<unknown>, sql: string): Promise<void> => {
  if (name.includes(values.only)) scores.set(name, await compete(ours, [() => engine.run(sql)], contest));
};
await measure("events and properties", () => engine.fresh().volumes({ projectId }, signal), volumesByHand);
const kept = engine.fresh();
await kept.volumes({ projectId }, signal);
await measure("events and properties, kept", () => kept.volumes({ projectId }, signal), volumesByHand);
for (const [name, [wanted, sql]] of Object.entries(readings)) {
  await measure(name, () => kept.topValues(wanted, signal), sql(values.engine));
}
const ofUsers = values.engine === "duckdb" ? `u${projectId}` : "peer_users";
const column = values.engine === "duckdb" ? "p13_s" : "country";
await measure(
  "values of users",
  () => kept.topValues(wantedOf(country), signal),
  topOf(column, `${ofUsers} WHERE ${column} IS NOT NULL`),
);
report(scores, rounds);
