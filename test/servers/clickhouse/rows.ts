import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { openClickHouseStore } from "../../../store/events/clickhouse/clickhouse.ts";
import { openLedger } from "../../../store/events/ledger/ledger.ts";
import { ask, count, scanOf, users } from "../../conformance/events/scan-world.ts";
import {
  Batches,
  dayMs,
  eventOf,
  noonMs,
  noSignal,
  properties,
  recordsOf,
  updateOf,
  userOf,
  userRecords,
} from "../../conformance/events/world.ts";
import { type FaultProxy, openFaultProxy } from "../faults/fault-proxy.ts";
import { compactAt, first, openLoadedStore, second } from "./loaded-store.ts";
import type { StoreServers } from "./world.ts";

const { price, level, badges } = properties;

export function testRows(servers: () => StoreServers): void {
  describe("rows", () => {
    it("of an event whose user changes follow the user to another shard", async () => {
      await using opened = await openLoadedStore(servers());
      const { store } = opened;
      const row = (u: number, value: number) => updateOf({ u, p: { [price.number]: value } });
      for (const [at, user] of [first, second, first, second].entries())
        await opened.load({ updates: [row(user, at)] });
      expect(await recordsOf(store)).toMatchObject([{ properties: { price: 3 } }]);
      expect(await store.stats()).toMatchObject({ projects: [{ updatableEvents: 1 }] });
      expect(await store.nameUses(1, noSignal())).toMatchObject({
        events: [{ name: "buy", records: 1 }, {}],
      });
      expect(await store.check(noSignal())).toEqual([]);
    });

    it("of requests which the network repeats count once", async () => {
      await using opened = await openLoadedStore(servers());
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
      await using opened = await openLoadedStore(servers());
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
        servers().shards.map(({ query }) =>
          query(`SELECT toString(p1), toString(p11) FROM ${world.options.database}.e1`),
        ),
      );
      expect(texts.join("")).toBe("0\t[0,NULL,1]");
    });

    it.each([
      ["are for more shards", { shard: 2 }, "events of shard 2 are for more shards than 2"],
      ["are unreadable", { file: "/nowhere.parquet" }, "no such file"],
    ])("of a batch whose columns %s are not loaded", async (_what, changed, message) => {
      await using opened = await openLoadedStore(servers());
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
      await using opened = await openLoadedStore(servers());
      await opened.load({ users: [userOf("set", { p: { [badges.number]: [] } })] });
      await opened.load({ users: [userOf("setOnce", { p: { [badges.number]: ["x"], [level.number]: 1 } })] });
      expect(await userRecords(opened.store)).toMatchObject([{ level: 1 }]);
      expect((await userRecords(opened.store))[0]).not.toHaveProperty("badges");
    });

    it("are deleted an hour after they were superseded", async () => {
      await using opened = await openLoadedStore(servers());
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
      await using opened = await openLoadedStore(servers());
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
      await using opened = await openLoadedStore(servers());
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
}
