import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ClickHouseStore } from "../../../store/events/clickhouse/clickhouse.ts";
import { openClickHouseStore } from "../../../store/events/clickhouse/clickhouse.ts";
import { Connection } from "../../../store/events/clickhouse/connection.ts";
import { createColumns } from "../../../store/events/clickhouse/ddl/columns.ts";
import { shardOfUser } from "../../../store/events/clickhouse/shards.ts";
import { openLedger } from "../../../store/events/ledger/ledger.ts";
import { migrate as migrateLeases, openPostgresLeases } from "../../../store/leases/postgres/open.ts";
import { ask, count, scanOf, users } from "../../conformance/events/scan-world.ts";
import {
  Batches,
  collect,
  dayMs,
  eventOf,
  noonMs,
  noSignal,
  properties,
  type Rows,
  recordsOf,
  updateOf,
  userOf,
  userRecords,
  vocabulary,
} from "../../conformance/events/world.ts";
import { type FaultProxy, openFaultProxy } from "../faults/fault-proxy.ts";
import { type ClickHouseWorld, openStoreServers, type StoreServers } from "./world.ts";

let servers: StoreServers;
beforeAll(async () => {
  servers = await openStoreServers(2);
});
afterAll(() => servers[Symbol.asyncDispose]());

const { price, level, badges } = properties;
const [first, second] = [1, 2, 3, 4, 5]
  .toSorted((a, b) => shardOfUser(a, 2) - shardOfUser(b, 2))
  .filter((_, at) => at === 0 || at === 4) as [number, number];

interface Opened extends AsyncDisposable {
  readonly world: ClickHouseWorld;
  readonly store: ClickHouseStore;
  readonly batches: Batches;
  /** The time of the ledger. */
  clock: { nowMs: number };
  load(...projects: readonly Rows[]): Promise<unknown>;
  /** Returns the sum of a number of each shard. */
  sum(sql: string): Promise<number>;
}

async function openLoaded(): Promise<Opened> {
  const world = await servers.createWorld();
  const clock = { nowMs: Date.UTC(2026, 5, 1) };
  const options = { ...world.options, ledger: { ...world.options.ledger, now: () => clock.nowMs } };
  const store = await openClickHouseStore(options);
  const batches = new Batches(world.folder, world.shardCount);
  await store.load(await batches.next(vocabulary));
  return {
    world: { ...world, options },
    store,
    batches,
    clock,
    load: async (...projects) => store.load(await batches.next(...projects)),
    async sum(sql) {
      const counts = await Promise.all(
        servers.shards.map(({ query }) => query(sql.replaceAll("{}", world.options.database))),
      );
      return counts.reduce((sum, count) => sum + Number(count), 0);
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

const compactAt = (nowMs: number, keepDays = new Map<number, number>()) => ({
  nowMs,
  keepDays,
  signal: noSignal(),
});

describe("an attempt that died", () => {
  it("is never visible, and its rows are deleted", async () => {
    await using opened = await openLoaded();
    const { store, world } = opened;
    const batch = await opened.batches.next({ events: [eventOf({ u: first }), eventOf({ u: second })] });
    await using ledger = await openLedger(world.options.ledger);
    const attempt = { spool: "main", to: batch.to, projects: [1], fence: undefined };
    const { number } = await ledger.call("beginBatch", attempt);
    const { database } = world.options;
    const late = `INSERT INTO ${database}.e1 (event, time_ms, user_id, batch) VALUES (1, ${noonMs}, ${first}, ${number})`;
    await servers.shards[0]!.query(late);
    await store.load(batch);
    // What its loader still had to insert.
    await servers.shards[1]!.query(late);
    expect(await recordsOf(store)).toHaveLength(2);
    expect(await opened.sum("SELECT count() FROM {}.e1")).toBe(4);
    await store.compact(compactAt(noonMs));
    expect(await opened.sum("SELECT count() FROM {}.e1")).toBe(2);
    await servers.shards[1]!.query(late);
    opened.clock.nowMs += dayMs;
    await store.compact(compactAt(noonMs));
    expect(await opened.sum("SELECT count() FROM {}.e1")).toBe(2);
    expect(await recordsOf(store)).toHaveLength(2);
    expect(await store.check(noSignal())).toEqual([]);
  });

  it("leaves columns of other types, which are replaced", async () => {
    await using opened = await openLoaded();
    for (const { query } of servers.shards)
      await query(`ALTER TABLE ${opened.world.options.database}.e1 ADD COLUMN p50 Nullable(String)`);
    const size = { table: "event", name: "size", number: 50, type: "number" } as const;
    await opened.load({ newProperties: [size], events: [eventOf({ p: { 50: 1.5 } })] });
    expect((await recordsOf(opened.store))[0]).toMatchObject({ properties: { size: 1.5 } });
  });

  it("because a shard is unavailable changes nothing, and is repeated", async () => {
    await using opened = await openLoaded();
    const batch = await opened.batches.next({
      events: [eventOf({ u: first }), eventOf({ u: second })],
      users: [userOf("seen", { u: first, d: "tab" }), userOf("seen", { u: second, a: "bob" })],
    });
    await servers.shards[1]!.kill();
    await expect(opened.store.load(batch)).rejects.toMatchObject({ name: "EventsUnavailableError" });
    expect(opened.store.loadedTo()).toEqual(batch.from);
    await servers.shards[1]!.start();
    expect(await opened.store.load(batch)).toEqual({ events: 2, users: 0 });
    expect(await recordsOf(opened.store)).toHaveLength(4);
    expect(await opened.store.check(noSignal())).toEqual([]);
  });
});

describe("a spool", () => {
  it("is loaded by the holder of its lease only", async () => {
    await using opened = await openLoaded();
    const { schema } = opened.world.options.ledger;
    const place = { url: servers.postgres.url, schema };
    await migrateLeases(place, schema);
    await using leases = await openPostgresLeases({ ...place, leaseMs: 60_000 });
    const old = (await leases.tryAcquire("spool:a"))!;
    const loader = await opened.store.loaderOf("a", old);
    const [one, two] = [
      await opened.batches.next({ events: [eventOf()] }),
      await opened.batches.next({ events: [eventOf()] }),
    ];
    await loader.load(one);
    servers.postgres.query(`UPDATE ${schema}.leases SET token = token + 1`);
    await expect(loader.load(two)).rejects.toMatchObject({ name: "LeaseLostError" });
    expect(await recordsOf(opened.store)).toHaveLength(1);
    expect(loader.loadedTo()).toEqual(one.to);
    const signal = noSignal();
    const next = await opened.store.loaderOf("a", { name: "spool:a", token: old.token + 1, signal });
    expect(next.loadedTo()).toEqual(one.to);
    expect(await next.load(two)).toEqual({ events: 1, users: 0 });
    expect(await recordsOf(opened.store)).toHaveLength(2);
  });

  it("is seen by other replicas, with its names", async () => {
    await using opened = await openLoaded();
    await using other = await openClickHouseStore(opened.world.options);
    await opened.load({ newEvents: [{ name: "late", number: 9 }], events: [eventOf({ e: 9 })] });
    expect(await recordsOf(other)).toMatchObject([{ "#event_name": "late" }]);
    expect(other.schema(1)).toEqual(opened.store.schema(1));
    await vi.waitFor(() => expect(other.loadedTo()).toEqual(opened.store.loadedTo()), 20_000);
  });
});

describe("rows", () => {
  it("of an event whose user changes follow the user to another shard", async () => {
    await using opened = await openLoaded();
    const { store } = opened;
    const row = (u: number, value: number) => updateOf({ u, p: { [price.number]: value } });
    for (const [at, user] of [first, second, first, second].entries())
      await opened.load({ updates: [row(user, at)] });
    expect(await recordsOf(store)).toMatchObject([{ properties: { price: 3 } }]);
    expect(await store.stats()).toMatchObject({ projects: [{ updatableEvents: 1 }] });
    expect(await store.nameUses(1, noSignal())).toMatchObject({ events: [{ name: "buy", records: 1 }, {}] });
    expect(await store.check(noSignal())).toEqual([]);
  });

  it("of requests which the network repeats count once", async () => {
    await using opened = await openLoaded();
    await using stack = new AsyncDisposableStack();
    const { world, batches } = opened;
    const proxies: FaultProxy[] = [];
    for (const url of world.options.shards) proxies.push(stack.use(await openFaultProxy(url)));
    for (const proxy of proxies) proxy.isDuplicating = true;
    const shards = proxies.map(({ url }) => url);
    const store = stack.use(await openClickHouseStore({ ...world.options, shards }));
    for (const u of [first, second]) {
      const rows = { events: [eventOf({ u })], updates: [updateOf({ u, i: `${u}` })] };
      const added = [userOf("add", { u, p: { [level.number]: 1 } })];
      await store.load(await batches.next({ ...rows, users: added }));
    }
    const inserts = () => proxies.map(({ duplicated }) => duplicated.get("INSERT") ?? 0);
    await vi.waitFor(() => expect(Math.min(...inserts())).toBeGreaterThanOrEqual(3), 20_000);
    expect(await recordsOf(opened.store)).toHaveLength(6);
    expect(await opened.sum("SELECT count() FROM {}.e1")).toBe(2);
    expect(await opened.sum("SELECT count() FROM {}.m1")).toBe(2);
    expect(await opened.sum("SELECT count() FROM {}.u1")).toBe(2);
    expect(await opened.store.check(noSignal())).toEqual([]);
    // The shards exchange parts of results.
    const { "[]": counted } = await ask(store, scanOf({ measures: [count, users] }));
    expect(counted?.totals).toEqual([4, 2]);
  });

  it.each(["lines", "columns"])("have no negative zeros in %s", async (format) => {
    await using opened = await openLoaded();
    const { batches, store, world } = opened;
    const p = { [price.number]: -0, [properties.itemCount.number]: [-0, null, 1] };
    const given = { newProperties: Object.values(properties), events: [eventOf({ p })] };
    const batch = await batches.next(given);
    const ofDays = await new Batches(world.folder).next(given);
    for (const { file } of ofDays.projects[0]!.days!) {
      // JSON.stringify writes 0.
      const text = readFileSync(file, "utf8").replace('"1":0', '"1":-0.0').replace("[0,", "[-0.0,");
      writeFileSync(file, text);
    }
    await store.load(format === "columns" ? batch : { ...batch, projects: ofDays.projects });
    const texts = await Promise.all(
      servers.shards.map(({ query }) =>
        query(`SELECT toString(p1), toString(p11) FROM ${world.options.database}.e1`),
      ),
    );
    expect(texts.join("")).toBe("0\t[0,NULL,1]");
  });

  it.each([
    ["are for more shards", { shard: 2 }, "events of shard 2 are for more shards than 2"],
    ["are unreadable", { file: "/nowhere.parquet" }, "no such file"],
  ])("of a batch whose columns %s are not loaded", async (_what, changed, message) => {
    await using opened = await openLoaded();
    const { batches, store } = opened;
    const batch = await batches.next({ events: [eventOf({ u: first }), eventOf({ u: second })] });
    const [rows] = batch.projects;
    const [one, two] = rows!.shards!;
    const projects = [{ ...rows!, shards: [one!, { ...two!, ...changed }] }];
    await expect(store.load({ ...batch, projects })).rejects.toThrow(message);
    expect(await recordsOf(store)).toEqual([]);
    await store.load(batch);
    expect(await recordsOf(store)).toHaveLength(2);
  });

  it("of users keep empty lists", async () => {
    await using opened = await openLoaded();
    await opened.load({ users: [userOf("set", { p: { [badges.number]: [] } })] });
    await opened.load({ users: [userOf("setOnce", { p: { [badges.number]: ["x"], [level.number]: 1 } })] });
    expect(await userRecords(opened.store)).toMatchObject([{ level: 1 }]);
    expect((await userRecords(opened.store))[0]).not.toHaveProperty("badges");
  });

  it("are deleted an hour after they were superseded", async () => {
    await using opened = await openLoaded();
    for (const value of [1, 2, 3]) {
      opened.clock.nowMs += 3_600_000;
      const p = { [level.number]: value };
      await opened.load({
        users: [userOf("set", { p })],
        updates: [updateOf({ p: { [price.number]: value } })],
      });
    }
    await opened.store.compact(compactAt(noonMs));
    expect(await opened.sum("SELECT count() FROM {}.u1")).toBe(2);
    const before = await recordsOf(opened.store);
    opened.clock.nowMs += 3_600_000;
    await opened.store.compact(compactAt(noonMs));
    expect(await opened.sum("SELECT count() FROM {}.u1")).toBe(1);
    expect(await opened.sum("SELECT count() FROM {}.m1")).toBe(1);
    expect(await recordsOf(opened.store)).toEqual(before);
    expect(await opened.store.check(noSignal())).toEqual([]);
  });

  it("of a deletion that was begun by a process which died are hidden, and deleted by another one", async () => {
    await using opened = await openLoaded();
    await opened.load({
      events: [eventOf({ u: first }), eventOf({ u: second })],
      updates: [updateOf({ u: first, p: { [price.number]: 1 } })],
    });
    await opened.load({ updates: [updateOf({ u: first, p: { [price.number]: 2 } })] });
    await using ledger = await openLedger(opened.world.options.ledger);
    const { version, watermark, hiddenBatches } = (await ledger.call("readState", 1))!;
    const limits = { startMs: undefined, endMs: undefined, events: undefined };
    const rows = { watermark, hiddenBatches, ...limits, users: [first] };
    const days = [[Math.floor(noonMs / dayMs), 1] as const];
    await ledger.call("beginDeletion", { projectId: 1, version, rows, days });
    const left = await recordsOf(opened.store);
    expect(left.filter((one) => one["#type"] !== "user_set")).toHaveLength(1);
    expect(await opened.sum("SELECT count() FROM {}.e1")).toBe(2);
    await opened.store.compact(compactAt(noonMs));
    expect(await opened.sum("SELECT count() FROM {}.e1")).toBe(1);
    expect(await opened.sum("SELECT count() FROM {}.m1")).toBe(0);
    expect(await recordsOf(opened.store)).toEqual(left);
    expect(await opened.store.check(noSignal())).toEqual([]);
  });

  it("of dropped days are deleted an hour later, but not what was loaded since", async () => {
    await using opened = await openLoaded();
    const events = [0, 1, 2].map((day) => eventOf({ u: first + day, t: noonMs + day * dayMs }));
    const updates = [updateOf(), updateOf({ i: "b", t: noonMs + 2 * dayMs })];
    await opened.load({ events, updates });
    const options = compactAt(noonMs + 3 * dayMs, new Map([[1, 1]]));
    expect(await opened.store.compact(options)).toMatchObject({ droppedDays: 2, droppedEvents: 3 });
    expect(await opened.sum("SELECT count() FROM {}.e1")).toBe(3);
    await opened.load({
      events: [eventOf({ u: second })],
      updates: [updateOf({ p: { [price.number]: 7 } })],
    });
    const before = await recordsOf(opened.store);
    expect(before).toHaveLength(4);
    opened.clock.nowMs += 3_600_000;
    expect(await opened.store.compact(compactAt(noonMs + 3 * dayMs))).toMatchObject({ droppedDays: 0 });
    expect(await opened.sum("SELECT count() FROM {}.e1")).toBe(2);
    expect(await recordsOf(opened.store)).toEqual(before);
    expect(await opened.store.check(noSignal())).toEqual([]);
  });
});

describe("identities", () => {
  it("are those of accounts and of the first users of visitors", async () => {
    await using opened = await openLoaded();
    await opened.load({
      events: [eventOf({ u: first, a: "older" })],
      users: [
        userOf("seen", { u: first, a: "ada", d: "tab" }),
        userOf("seen", { u: second, d: "tab" }),
        userOf("seen", { u: second, d: "phone" }),
      ],
    });
    const found = await collect(opened.store.identities(noSignal()));
    const by = { projectId: 1 };
    expect(new Set(found)).toEqual(
      new Set([
        { ...by, userId: first, accountId: "ada", hasAccount: true },
        { ...by, userId: first, accountId: "older", hasAccount: true },
        { ...by, userId: first, distinctId: "tab", hasAccount: true },
        { ...by, userId: second, distinctId: "phone", hasAccount: false },
        { ...by, userId: Math.max(first, second), hasAccount: false },
      ]),
    );
  });
});

describe("a check", () => {
  it("finds lost events, rows of other shards and missing columns", async () => {
    await using opened = await openLoaded();
    await opened.load({ events: [eventOf({ u: first }), eventOf({ u: second })] });
    const { database } = opened.world.options;
    const [one, two] = servers.shards;
    await two!.query(
      `INSERT INTO ${database}.e1 SELECT * FROM remote('127.0.0.1:${one!.tcpPort}', ${database}.e1)`,
    );
    await one!.query(`TRUNCATE TABLE ${database}.e1`);
    await two!.query(
      `ALTER TABLE ${database}.e1 DELETE WHERE user_id = ${second} SETTINGS mutations_sync = 1`,
    );
    await one!.query(`ALTER TABLE ${database}.u1 DROP COLUMN p${level.number}`);
    expect(await opened.store.check(noSignal())).toEqual([
      `column p${level.number} of u1 is missing instead of Nullable(Float64) on shard 1`,
      "events of 2026-01-05 in project 1: 1 instead of 2",
      "users of e1 of other shards on shard 2: 1",
    ]);
  });
});

describe("tables and columns", () => {
  it("are created by several replicas at once", async () => {
    await using world = await servers.createWorld();
    const all = Object.values(properties);
    await Promise.all(
      [1, 2, 3, 4].map(async () => {
        await using connection = new Connection(world.options);
        await createColumns(connection, {}).ensure(7, all, all);
      }),
    );
    const columns = `SELECT count() FROM system.columns WHERE database = '${world.options.database}' AND name LIKE 'p%'`;
    const counts = await Promise.all(servers.shards.map(({ query }) => query(columns)));
    expect(counts).toEqual(["30", "30"]);
  });

  it("belong to one store, and to one shard of it", async () => {
    await using world = await servers.createWorld();
    await using other = await servers.createWorld();
    const { options } = world;
    const swapped = openClickHouseStore({ ...options, shards: options.shards.toReversed() });
    await expect(swapped).rejects.toMatchObject({ name: "EventsOpenError" });
    await expect(swapped).rejects.toThrow(/is shard . of 2, but configured as . of 2/);
    const fewer = openClickHouseStore({ ...options, shards: options.shards.slice(0, 1) });
    await expect(fewer).rejects.toThrow("is shard 1 of 2, but configured as 1 of 1");
    const foreign = openClickHouseStore({ ...options, ledger: other.options.ledger });
    await expect(foreign).rejects.toThrow(/belongs to the store ".*" and not to/);
  });
});
