import { describe, expect, it } from "vitest";
import {
  buy,
  type CreateEventsWorld,
  dayMs,
  eventOf,
  eventProperties,
  login,
  noonMs,
  noSignal,
  type OpenedStore,
  openStore,
  properties,
  recordsOf,
  updateOf,
  userOf,
  userRecords,
} from "./world.ts";

const { price } = properties;
const item = { table: "event", name: "parcel", number: 60, type: "object" } as const;
const itemSize = { table: "event", name: "parcel.size", number: 61, type: "number" } as const;
const items = { table: "event", name: "labels", number: 62, type: "text" } as const;
const plan = { table: "user", name: "plan", number: 63, type: "text" } as const;
const shared = { table: "user", name: "labels", number: 64, type: "text" } as const;

/** Two events on one day and one of the next, an event that may change, and a user. */
async function fill({ load }: Pick<OpenedStore, "load">): Promise<void> {
  await load({
    newProperties: [item, itemSize, items, plan, shared],
    events: [
      eventOf({ p: { [price.number]: 1, [item.number]: '{"size":2}', [itemSize.number]: 2 } }),
      eventOf({ e: login.number, t: noonMs + 1, p: { [items.number]: "x" } }),
      eventOf({ e: login.number, t: noonMs + dayMs, p: { [price.number]: 3 } }),
    ],
    updates: [updateOf({ e: login.number, i: "i", p: { [price.number]: 4 } })],
    users: [userOf("set", { p: { [plan.number]: "free", [shared.number]: "y" } })],
  });
}

export function testNames(create: CreateEventsWorld): void {
  describe("names", () => {
    it("are counted by their uses, in the order of their appearance", async () => {
      await using opened = await openStore(create);
      await fill(opened);
      const uses = await opened.store.nameUses(1, noSignal());
      expect(uses.events).toEqual([
        { name: buy.name, records: 1 },
        { name: login.name, records: 3 },
      ]);
      expect(uses.properties.filter(({ records }) => records > 0)).toEqual([
        { table: "event", name: price.name, type: price.type, records: 3 },
        { table: "event", name: "parcel", type: "object", records: 1 },
        { table: "event", name: "parcel.size", type: "number", records: 1 },
        { table: "event", name: "labels", type: "text", records: 1 },
        { table: "user", name: "plan", type: "text", records: 1 },
        { table: "user", name: "labels", type: "text", records: 1 },
      ]);
      expect(await opened.store.nameUses(99, noSignal())).toEqual({ events: [], properties: [] });
    });

    it("of properties are removed with their values and members, those of users apart", async () => {
      await using opened = await openStore(create);
      await fill(opened);
      const removal = {
        projectId: 1,
        events: [],
        properties: [
          { table: "event", name: "parcel" },
          { table: "event", name: "labels" },
          { table: "user", name: "plan" },
          { table: "user", name: "price" },
        ],
      } as const;
      const { version } = opened.store.schema(1);
      expect(await opened.store.removeNames(removal)).toEqual({ events: 0, properties: 4, records: 0 });
      const expected = [{ price: 1 }, { price: 4 }, {}, { price: 3 }];
      expect(new Set(await eventProperties(opened.store))).toEqual(new Set(expected));
      expect(await userRecords(opened.store)).toMatchObject([{ labels: "y" }]);
      expect(opened.store.schema(1).version).toBeGreaterThan(version);
      for (const one of [item, itemSize, items]) {
        expect(opened.store.schema(1).properties.has(`event:${one.name}`)).toBe(false);
      }
      const store = await opened.reopen();
      expect(store.schema(1).properties.has("user:plan")).toBe(false);
      expect(await store.check(noSignal())).toEqual([]);
    });

    it("of events are removed with their events, and days without any", async () => {
      await using opened = await openStore(create);
      await fill(opened);
      const removal = { projectId: 1, events: [login.name, "unheard_of"], properties: [] };
      expect(await opened.store.removeNames(removal)).toEqual({ events: 1, properties: 0, records: 3 });
      expect((await recordsOf(opened.store)).slice(1)).toMatchObject([{ "#event_name": buy.name }]);
      expect(await opened.store.stats()).toMatchObject({
        projects: [{ days: 1, events: 1, updatableEvents: 0, users: 1, eventNames: 1 }],
      });
      const store = await opened.reopen();
      expect([...store.schema(1).events.keys()]).toEqual([buy.name]);
      expect(await store.check(noSignal())).toEqual([]);
    });

    it("can appear again after removal, with other types and numbers", async () => {
      await using opened = await openStore(create);
      await fill(opened);
      const removal = {
        projectId: 1,
        events: [login.name],
        properties: [{ table: "event", name: "labels" }],
      } as const;
      await opened.store.removeNames(removal);
      await opened.load({
        newEvents: [{ name: login.name, number: 90 }],
        newProperties: [{ ...items, type: "number", number: 62 }],
        events: [eventOf({ e: 90, t: noonMs + 5, p: { 62: 5 } })],
      });
      expect((await recordsOf(opened.store)).at(-1)).toMatchObject({
        "#event_name": login.name,
        properties: { labels: 5 },
      });
      expect(await opened.store.check(noSignal())).toEqual([]);
    });

    it("change nothing when they are unknown", async () => {
      await using opened = await openStore(create);
      const before = opened.store.schema(1);
      const removal = { projectId: 1, events: ["x"], properties: [{ table: "event", name: "x" }] } as const;
      expect(await opened.store.removeNames(removal)).toEqual({ events: 0, properties: 0, records: 0 });
      expect(await opened.store.removeNames({ ...removal, projectId: 99 })).toMatchObject({ events: 0 });
      expect(opened.store.schema(1)).toBe(before);
    });

    it("are removed by the thousand", async () => {
      await using opened = await openStore(create);
      const names = Array.from({ length: 25_000 }, (_, at) => ({ name: `junk${at}`, number: at + 1_000 }));
      await opened.load({
        newEvents: names,
        events: [eventOf(), eventOf({ e: 1_000 }), eventOf({ e: 25_999 })],
      });
      const removal = { projectId: 1, events: names.map(({ name }) => name), properties: [] };
      expect(await opened.store.removeNames(removal)).toEqual({ events: 25_000, properties: 0, records: 2 });
      expect((await recordsOf(opened.store)).length).toBeGreaterThan(0);
      expect(await opened.store.check(noSignal())).toEqual([]);
    });
  });
}
