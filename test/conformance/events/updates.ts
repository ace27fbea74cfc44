import { describe, expect, it } from "vitest";
import type { PreparedUpdate } from "../../../store/events/events.ts";
import {
  type CreateEventsWorld,
  login,
  noonMs,
  openStore,
  properties,
  recordsOf,
  updateOf,
} from "./world.ts";

const { price, city, tags, address, zip, moved, items, itemCount } = properties;
const old = { [address.number]: '{"zip":"1","moved":"x"}', [zip.number]: "1", [moved.number]: noonMs };
const young = { [address.number]: '{"zip":"2"}', [zip.number]: "2" };

interface Case {
  readonly name: string;
  readonly updates: readonly PreparedUpdate[];
  /** The properties of the only event after the updates. */
  readonly expected: object;
}

const cases: readonly Case[] = [
  {
    name: "makes an event",
    updates: [updateOf({ p: { [price.number]: 1 } })],
    expected: { price: 1 },
  },
  {
    name: "changes what is given",
    updates: [
      updateOf({ p: { [price.number]: 1, [city.number]: "Bern", [tags.number]: ["a"] } }),
      updateOf({ p: { [price.number]: 2 } }),
      updateOf({ p: { [tags.number]: ["b", "c"] } }),
    ],
    expected: { price: 2, "#city": "Bern", tags: ["b", "c"] },
  },
  {
    name: "replaces all by overwriting",
    updates: [
      updateOf({ p: { [price.number]: 1, [city.number]: "Bern" } }),
      updateOf({ o: "overwrite", p: { [price.number]: 2 } }),
      updateOf({ p: { [tags.number]: ["a"] } }),
    ],
    expected: { price: 2, tags: ["a"] },
  },
  {
    name: "overwrites twice",
    updates: [
      updateOf({ o: "overwrite", p: { [price.number]: 1 } }),
      updateOf({ o: "overwrite", p: { [city.number]: "Rome" } }),
    ],
    expected: { "#city": "Rome" },
  },
  {
    name: "replaces an object with all its members",
    updates: [updateOf({ p: { ...old, [price.number]: 1 } }), updateOf({ p: young })],
    expected: { price: 1, address: { zip: "2" } },
  },
  {
    name: "replaces an object group with all its members",
    updates: [
      updateOf({ p: { [items.number]: '[{"count":1}]', [itemCount.number]: [1] } }),
      updateOf({ p: { [items.number]: '[{"count":2},{"count":3}]', [itemCount.number]: [2, 3] } }),
    ],
    expected: { items: [{ count: 2 }, { count: 3 }] },
  },
];

export function testUpdates(create: CreateEventsWorld): void {
  describe("events that later records change", () => {
    it.each(cases)("$name, in one batch", async ({ updates, expected }) => {
      await using opened = await openStore(create);
      await opened.load({ updates });
      expect(await recordsOf(opened.store)).toMatchObject([{ "#event_id": "first", properties: expected }]);
      expect(await keysOf(opened.store)).toEqual(Object.keys(expected));
    });

    it.each(cases)("$name, in a batch each", async ({ updates, expected }) => {
      await using opened = await openStore(create);
      for (const update of updates) await opened.load({ updates: [update] });
      expect(await recordsOf(opened.store)).toMatchObject([{ "#event_id": "first", properties: expected }]);
      expect(await keysOf(opened.store)).toEqual(Object.keys(expected));
    });

    it("distinguishes events by name and id", async () => {
      await using opened = await openStore(create);
      await opened.load({
        updates: [
          updateOf({ p: { [price.number]: 1 } }),
          updateOf({ i: "other", p: { [price.number]: 2 } }),
          updateOf({ e: login.number, p: { [price.number]: 3 } }),
        ],
      });
      await opened.load({ updates: [updateOf({ i: "other", o: "overwrite", p: { [price.number]: 4 } })] });
      const found = (await recordsOf(opened.store)).map((record) => record["properties"]);
      expect(found).toMatchObject([{ price: 3 }, { price: 1 }, { price: 4 }]);
    });

    it("uses time and ids of the latest record", async () => {
      await using opened = await openStore(create);
      await opened.load({
        updates: [updateOf({ d: "tab" }), updateOf({ t: noonMs + 1, a: "eve", d: "pc" })],
      });
      expect(await recordsOf(opened.store)).toMatchObject([
        { "#account_id": "eve", "#distinct_id": "pc", "#time": "2026-01-05 12:00:00.001" },
      ]);
      await opened.load({ updates: [updateOf({ o: "overwrite", t: noonMs + 2 })] });
      const [event] = await recordsOf(opened.store);
      expect(event).toMatchObject({ "#account_id": "ada", "#time": "2026-01-05 12:00:00.002" });
      expect(event).not.toHaveProperty("#distinct_id");
    });

    const nameless = { e: 1, t: noonMs, r: noonMs, i: "first", o: "update", p: {} } as const;
    it.each<[string, readonly PreparedUpdate[], (string | null)[]]>([
      ["ids of the same user", [updateOf({ d: "tab" }), { ...nameless, u: 1 }], ["ada", "tab"]],
      ["no ids of another user", [updateOf({ d: "tab" }), updateOf({ u: 2, a: "bob" })], ["bob", null]],
      [
        "no ids of a user who comes back",
        [updateOf({ d: "tab" }), { ...nameless, u: 2, d: "pc" }, { ...nameless, u: 1 }],
        [null, null],
      ],
      [
        "ids of the last user only",
        [updateOf(), updateOf({ u: 2, a: "bob" }), { ...nameless, u: 2, d: "pc" }, { ...nameless, u: 2 }],
        ["bob", "pc"],
      ],
    ])("keeps %s, in one batch and in several", async (_what, updates, expected) => {
      await using one = await openStore(create);
      await one.load({ updates });
      await using several = await openStore(create);
      for (const update of updates) await several.load({ updates: [update] });
      expect([await idsOf(one.store), await idsOf(several.store)]).toEqual([expected, expected]);
    });

    it("counts each event once", async () => {
      await using opened = await openStore(create);
      await opened.load({ updates: [updateOf(), updateOf(), updateOf({ i: "other" })] });
      await opened.load({ updates: [updateOf()] });
      const { projects } = await opened.store.stats();
      expect(projects).toMatchObject([{ updatableEvents: 2, events: 0 }]);
      expect(await opened.store.check(new AbortController().signal)).toEqual([]);
    });
  });
}

async function keysOf(store: Parameters<typeof recordsOf>[0]): Promise<string[]> {
  const [record] = await recordsOf(store);
  return Object.keys(record!["properties"] as object).filter((key) => key !== "#zone_offset");
}

/** Account and visitor of the one event. */
async function idsOf(store: Parameters<typeof recordsOf>[0]): Promise<unknown[]> {
  const [record] = await recordsOf(store);
  return [record!["#account_id"] ?? null, record!["#distinct_id"] ?? null];
}
