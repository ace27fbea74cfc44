import { describe, expect, it } from "vitest";
import type { Property } from "../../../store/events/events.ts";
import {
  buy,
  type CreateEventsWorld,
  eventOf,
  eventProperties,
  type LoadingStore,
  login,
  noonMs,
  openStore,
  properties,
  type Rows,
  userOf,
  userRecords,
  vocabulary,
} from "./world.ts";

const mood: Property = { table: "event", name: "mood", number: 40, type: "text" };
const size: Property = { table: "event", name: "size", number: 41, type: "number" };
const plan: Property = { table: "user", name: "plan", number: 42, type: "text" };

const conflicts: readonly (readonly [string, Omit<Rows, "events">])[] = [
  ["an event with another number", { newEvents: [{ name: "buy", number: 5 }] }],
  ["an event with a number that is taken", { newEvents: [{ name: "other", number: 1 }] }],
  ["a property of another type", { newProperties: [{ ...properties.price, type: "text" }] }],
  ["a property with a number that is taken", { newProperties: [{ ...mood, number: 1 }] }],
  ["a property without a number", { newProperties: [{ ...mood, number: 0 }] }],
];

/** Tests which also the fakes pass that stand in for a store where batches are loaded. */
export function testVocabulary<S extends LoadingStore>(create: CreateEventsWorld<S>): void {
  describe("vocabulary", () => {
    it("knows nothing of a project without rows", async () => {
      await using opened = await openStore(create);
      expect(opened.store.schema(99)).toEqual({ version: 0, events: new Map(), properties: new Map() });
    });

    it("contains what was loaded, also after it was opened again", async () => {
      await using opened = await openStore(create);
      const expected = {
        events: new Map([buy, login].map((event) => [event.name, event])),
        properties: new Map(vocabulary.newProperties.map((one) => [`${one.table}:${one.name}`, one])),
      };
      expect(opened.store.schema(1)).toMatchObject(expected);
      await opened.load({ events: [eventOf()] });
      const before = opened.store.schema(1);
      expect((await opened.reopen()).schema(1)).toEqual(before);
    });

    it("returns snapshots which do not change", async () => {
      await using opened = await openStore(create);
      const before = opened.store.schema(1);
      const copy = structuredClone(before);
      expect(opened.store.schema(1)).toBe(before);
      await opened.load({ newEvents: [{ name: "late", number: 3 }], newProperties: [mood] });
      expect(before).toEqual(copy);
      expect(opened.store.schema(1).events.get("late")).toEqual({ name: "late", number: 3 });
      expect(opened.store.schema(1).properties.get("event:mood")).toEqual(mood);
    });

    it("has a later version after each load of the project, and of that only", async () => {
      await using opened = await openStore(create);
      const first = opened.store.schema(1).version;
      await opened.load({ events: [eventOf()] });
      const second = opened.store.schema(1).version;
      await opened.load({ projectId: 2, newEvents: [buy], events: [eventOf()] });
      expect(second).toBeGreaterThan(first);
      expect(opened.store.schema(1).version).toBe(second);
      const store = await opened.reopen();
      await store.load(await opened.batches.next({ events: [eventOf()] }));
      expect(store.schema(1).version).toBeGreaterThan(second);
    });

    it("accepts known names again", async () => {
      await using opened = await openStore(create);
      const { properties: before } = opened.store.schema(1);
      await opened.load({ newEvents: [buy], newProperties: [properties.price], events: [eventOf()] });
      expect(opened.store.schema(1).properties).toBe(before);
    });

    it.each(conflicts)("is unchanged by %s, as is the place", async (_what, wrong) => {
      await using opened = await openStore(create);
      const before = [opened.store.schema(1), opened.store.loadedTo()];
      await expect(opened.load({ ...wrong, events: [eventOf()] })).rejects.toThrow(/number/);
      expect([opened.store.schema(1), opened.store.loadedTo()]).toEqual(before);
    });

    it("is unchanged by a batch that was loaded before", async () => {
      await using opened = await openStore(create);
      const batch = await opened.batches.next({ newProperties: [mood], events: [eventOf()] });
      expect(await opened.store.load(batch)).toEqual({ events: 1, users: 0 });
      const before = opened.store.schema(1);
      expect(await opened.store.load(batch)).toEqual({ events: 0, users: 0 });
      expect(opened.store.schema(1)).toBe(before);
      expect(opened.store.loadedTo()).toEqual(batch.to);
    });
  });
}

export function testSchema(create: CreateEventsWorld): void {
  describe("schema", () => {
    it("grows while rows of before lack what is new", async () => {
      await using opened = await openStore(create);
      const old = eventOf({ p: { [properties.price.number]: 1 } });
      await opened.load({ events: [old], users: [userOf("set", { p: { [properties.level.number]: 1 } })] });
      await opened.load({
        newProperties: [mood, plan],
        events: [eventOf({ t: noonMs + 1, p: { [mood.number]: "good" } })],
        users: [userOf("set", { u: 2, a: "bob", p: { [plan.number]: "free" } })],
      });
      await opened.load({
        newProperties: [size],
        events: [eventOf({ t: noonMs + 2, p: { [size.number]: 3, [mood.number]: "bad" } })],
      });
      expect(await eventProperties(opened.store)).toEqual([
        { price: 1 },
        { mood: "good" },
        { mood: "bad", size: 3 },
      ]);
      expect(await userRecords(opened.store)).toMatchObject([{ level: 1 }, { plan: "free" }]);
    });

    it.each(conflicts)("refuses %s, and the whole batch", async (_what, wrong) => {
      await using opened = await openStore(create);
      const before = opened.store.schema(1);
      await expect(opened.load({ ...wrong, events: [eventOf()] })).rejects.toThrow(/number/);
      expect(opened.store.schema(1)).toBe(before);
      expect(await eventProperties(opened.store)).toEqual([]);
    });

    it("takes names for names only", async () => {
      await using opened = await openStore(create);
      const name = `x'); DROP TABLE projects; --"`;
      await opened.load({
        newEvents: [{ name, number: 3 }],
        newProperties: [{ ...mood, name }],
        events: [eventOf({ e: 3, p: { [mood.number]: name }, d: name })],
      });
      expect(await eventProperties(opened.store)).toEqual([{ [name]: name }]);
      expect((await opened.reopen()).schema(1).properties.get(`event:${name}`)).toEqual({ ...mood, name });
    });
  });
}
