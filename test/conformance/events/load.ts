import { describe, expect, it } from "vitest";
import type { LoadBatch } from "../../../store/events/events.ts";
import {
  asyncOf,
  buy,
  type CreateEventsWorld,
  dayMs,
  eventOf,
  eventProperties,
  login,
  noonMs,
  openStore,
  properties,
  recordsOf,
  updateOf,
  userOf,
} from "./world.ts";

const { price, city, at, gift, tags, address, zip, moved, items, itemName, itemCount } = properties;

export function testLoad(create: CreateEventsWorld): void {
  describe("load", () => {
    it("counts rows and records its place", async () => {
      await using opened = await openStore(create);
      const counts = await opened.load({
        events: [eventOf(), eventOf({ t: noonMs + 1 })],
        updates: [updateOf()],
        users: [userOf("seen"), userOf("set", { p: { [properties.level.number]: 3 } })],
      });
      expect(counts).toEqual({ events: 3, users: 1 });
      expect(opened.store.loadedTo()).toEqual({ number: 0, offset: 200 });
      expect(opened.store.settledTo()?.offset ?? 0).toBeLessThanOrEqual(200);
      expect((await opened.reopen()).settledTo()).toEqual({ number: 0, offset: 200 });
      expect(await recordsOf(opened.store)).toHaveLength(4);
    });

    it("changes nothing when a batch is loaded again", async () => {
      await using opened = await openStore(create);
      const batch = await opened.batches.next({ events: [eventOf()], users: [userOf("seen")] });
      await opened.store.load(batch);
      const before = [await recordsOf(opened.store), opened.store.schema(1)];
      expect(await opened.store.load(batch)).toEqual({ events: 0, users: 0 });
      expect([await recordsOf(opened.store), opened.store.schema(1)]).toEqual(before);
      expect(await (await opened.reopen()).load(batch)).toEqual({ events: 0, users: 0 });
      expect([await recordsOf(opened.store), opened.store.schema(1)]).toEqual(before);
    });

    it.each<[string, LoadBatch["to"], number]>([
      ["the same place", { number: 0, offset: 100 }, 0],
      ["an earlier place", { number: 0, offset: 99 }, 0],
      ["a later place", { number: 0, offset: 101 }, 1],
      ["an earlier place of a later file", { number: 1, offset: 0 }, 1],
    ])("loads a batch up to %s %#", async (_what, to, loaded) => {
      await using opened = await openStore(create);
      const batch = { ...(await opened.batches.next({ events: [eventOf()] })), to };
      expect(await opened.store.load(batch)).toEqual({ events: loaded, users: 0 });
      expect(await eventProperties(opened.store)).toHaveLength(loaded);
    });

    it("moves its place by a batch without rows", async () => {
      await using opened = await openStore(create);
      opened.batches.nextFile();
      expect(await opened.load()).toEqual({ events: 0, users: 0 });
      expect(opened.store.loadedTo()).toEqual({ number: 1, offset: 100 });
    });

    it("keeps values of every type", async () => {
      await using opened = await openStore(create);
      const p = {
        [price.number]: 1.5,
        [city.number]: "Zürich 'n' \"x\" \\ \u0000 😀",
        [at.number]: noonMs + 1,
        [gift.number]: false,
        [tags.number]: ["b", "a", "b"],
        [address.number]: '{"Zip":"8001","moved":"2026-01-05 12:00:00","deep":"{\\"a\\":1}"}',
        [zip.number]: "8001",
        [moved.number]: noonMs,
        [items.number]: '[{"name":"pen","count":2},{"count":1},{"name":"cap"}]',
        [itemName.number]: ["pen", null, "cap"],
        [itemCount.number]: [2, 1, null],
      };
      await opened.load({ events: [eventOf({ p })] });
      expect(await eventProperties(opened.store)).toEqual([
        {
          price: 1.5,
          "#city": "Zürich 'n' \"x\" \\ \u0000 😀",
          at: "2026-01-05 12:00:00.001",
          gift: false,
          tags: ["b", "a", "b"],
          address: { Zip: "8001", moved: "2026-01-05 12:00:00.000", deep: '{"a":1}' },
          items: [{ name: "pen", count: 2 }, { count: 1 }, { name: "cap" }],
        },
      ]);
    });

    it.each([0, -0.1, 1e-300, 1.7976931348623157e308, 9007199254740991, 0.1 + 0.2, 123456789.123456])(
      "keeps the number %d",
      async (value) => {
        await using opened = await openStore(create);
        await opened.load({ events: [eventOf({ p: { [price.number]: value } })] });
        expect(await eventProperties(opened.store)).toEqual([{ price: value }]);
      },
    );

    it("keeps ids of users up to the largest whole number", async () => {
      await using opened = await openStore(create);
      const u = Number.MAX_SAFE_INTEGER;
      await opened.load({ events: [eventOf({ u })], users: [userOf("seen", { u, a: "last" })] });
      const version = { projectId: 1, name: "c", day: "2026-01-01", kind: "cohort" } as const;
      const counts = await opened.store.importCohort(version, asyncOf([{ userId: BigInt(u) }]));
      expect(counts).toEqual({ members: 1, unknown: 0 });
    });

    it("separates days and projects", async () => {
      await using opened = await openStore(create);
      const events = [0, 1, 2, 40].map((day) =>
        eventOf({ t: noonMs + day * dayMs, p: { [price.number]: day } }),
      );
      await opened.load(
        { events },
        { projectId: 7, newEvents: [{ name: "only", number: 1 }], events: [eventOf({ u: 5 })] },
      );
      expect(await eventProperties(opened.store)).toEqual([0, 1, 2, 40].map((day) => ({ price: day })));
      expect((await recordsOf(opened.store, 7)).map((record) => record["#event_name"])).toEqual(["only"]);
      expect(await recordsOf(opened.store, 8)).toEqual([]);
    });

    it("puts the last and the first millisecond of a day where they belong", async () => {
      await using opened = await openStore(create);
      const midnight = Date.UTC(2026, 0, 6);
      await opened.load({ events: [eventOf({ t: midnight - 1 }), eventOf({ t: midnight })] });
      const { projects } = await opened.store.stats();
      expect(projects).toMatchObject([{ days: 2, firstDay: "2026-01-05", lastDay: "2026-01-06", events: 2 }]);
      expect(await opened.store.check(new AbortController().signal)).toEqual([]);
    });

    it("loads concurrent batches", async () => {
      await using opened = await openStore(create);
      const batches = [];
      for (let n = 0; n < 8; n++)
        batches.push(
          await opened.batches.next({ events: [eventOf({ t: noonMs + n, p: { [price.number]: n } })] }),
        );
      await Promise.all(batches.map((batch) => opened.store.load(batch)));
      expect(await eventProperties(opened.store)).toEqual(batches.map((_, n) => ({ price: n })));
    });

    it("loads nothing of an unreadable batch, and continues", async () => {
      await using opened = await openStore(create);
      const batch = await opened.batches.next({ events: [eventOf()], users: [userOf("del")] });
      const broken = {
        ...batch,
        projects: [
          ...batch.projects,
          {
            ...batch.projects[0]!,
            newEvents: [{ name: "late", number: 9 }],
            usersFile: `${batch.projects[0]!.usersFile}.none`,
          },
        ],
      };
      const before = opened.store.schema(1);
      await expect(opened.store.load(broken)).rejects.toThrow();
      expect(opened.store.schema(1)).toBe(before);
      expect(await recordsOf(opened.store)).toEqual([]);
      expect(await opened.store.load(batch)).toEqual({ events: 1, users: 1 });
      expect(await recordsOf(opened.store)).toHaveLength(2);
    });

    it("distinguishes names of events by case", async () => {
      await using opened = await openStore(create);
      await opened.load({
        newEvents: [{ name: "LOGIN", number: 3 }],
        events: [eventOf({ e: login.number }), eventOf({ e: 3 }), eventOf({ e: buy.number })],
      });
      const names = (await recordsOf(opened.store)).map((record) => record["#event_name"]);
      expect(names.sort()).toEqual(["LOGIN", "Login", "buy"]);
    });
  });
}
