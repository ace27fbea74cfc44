import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openClickHouseStore } from "../../../store/events/clickhouse/clickhouse.ts";
import { Connection } from "../../../store/events/clickhouse/connection.ts";
import { createColumns } from "../../../store/events/clickhouse/ddl/columns.ts";
import { openLedger } from "../../../store/events/ledger/ledger.ts";
import { migrate as migrateLeases, openPostgresLeases } from "../../../store/leases/postgres/open.ts";
import {
  collect,
  dayMs,
  eventOf,
  noonMs,
  noSignal,
  properties,
  recordsOf,
  userOf,
} from "../../conformance/events/world.ts";
import { compactAt, first, openLoadedStore, second } from "./loaded-store.ts";
import { testRows } from "./rows.ts";
import { openStoreServers, type StoreServers } from "./world.ts";

let servers: StoreServers;
beforeAll(async () => {
  servers = await openStoreServers(2);
});
afterAll(() => servers[Symbol.asyncDispose]());

const { level } = properties;

describe("an attempt that died", () => {
  it("is never visible, and its rows are deleted", async () => {
    await using opened = await openLoadedStore(servers);
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
    await using opened = await openLoadedStore(servers);
    for (const { query } of servers.shards)
      await query(`ALTER TABLE ${opened.world.options.database}.e1 ADD COLUMN p50 Nullable(String)`);
    const size = { table: "event", name: "size", number: 50, type: "number" } as const;
    await opened.load({ newProperties: [size], events: [eventOf({ p: { 50: 1.5 } })] });
    expect((await recordsOf(opened.store))[0]).toMatchObject({ properties: { size: 1.5 } });
  });

  it("because a shard is unavailable changes nothing, and is repeated", async () => {
    await using opened = await openLoadedStore(servers);
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
    await using opened = await openLoadedStore(servers);
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
    await using opened = await openLoadedStore(servers);
    await using other = await openClickHouseStore(opened.world.options);
    await opened.load({ newEvents: [{ name: "late", number: 9 }], events: [eventOf({ e: 9 })] });
    expect(await recordsOf(other)).toMatchObject([{ "#event_name": "late" }]);
    expect(other.schema(1)).toEqual(opened.store.schema(1));
    await vi.waitFor(() => expect(other.loadedTo()).toEqual(opened.store.loadedTo()), 20_000);
  });
});

testRows(() => servers);

describe("identities", () => {
  it("are those of accounts and of the first users of visitors", async () => {
    await using opened = await openLoadedStore(servers);
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
    await using opened = await openLoadedStore(servers);
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
