import { describe, expect, it } from "vitest";
import type { EventSelection } from "../../../store/events/events.ts";
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
} from "./world.ts";

const { price } = properties;
const all: EventSelection = { projectId: 1, startMs: -Infinity, endMs: Infinity };
const many = 1_000;

/** Events of two users on three days, one of them updatable. Their prices are 1 to 6. */
async function fill({ load }: Pick<OpenedStore, "load">): Promise<void> {
  const priced = (number: number) => ({ p: { [price.number]: number } });
  await load({
    events: [
      eventOf({ u: 1, ...priced(1) }),
      eventOf({ u: 2, a: "bob", t: noonMs + 1, ...priced(2) }),
      eventOf({ u: 1, e: login.number, t: noonMs + dayMs, ...priced(3) }),
      eventOf({ u: 2, a: "bob", e: login.number, t: noonMs + dayMs + 1, ...priced(4) }),
      eventOf({ u: 1, t: noonMs + 2 * dayMs, ...priced(5) }),
    ],
    updates: [updateOf({ u: 2, a: "bob", e: login.number, i: "i", t: noonMs + 2, ...priced(6) })],
    users: [userOf("set", { u: 1 }), userOf("set", { u: 2, a: "bob" })],
  });
}

/** Returns the prices of the events that are stored. */
async function pricesOf(store: Parameters<typeof eventProperties>[0]): Promise<number[]> {
  const stored = (await eventProperties(store)) as { price: number }[];
  return stored.map((one) => one.price).sort();
}

export function testDeletions(create: CreateEventsWorld): void {
  describe("events that are deleted", () => {
    it.each<[string, Partial<EventSelection>, readonly number[]]>([
      ["of all names, days and users", {}, [1, 2, 3, 4, 5, 6]],
      ["of a name", { events: [login.name] }, [3, 4, 6]],
      ["of several names, known or not", { events: [login.name, buy.name, "unheard"] }, [1, 2, 3, 4, 5, 6]],
      ["of an unknown name", { events: ["unheard"] }, []],
      ["of a day", { startMs: noonMs - dayMs / 2, endMs: noonMs + dayMs / 2 }, [1, 2, 6]],
      ["of a part of a day", { startMs: noonMs + 1, endMs: noonMs + 2 }, [2]],
      ["from a time on", { startMs: noonMs + dayMs }, [3, 4, 5]],
      ["of a user", { userIds: [2] }, [2, 4, 6]],
      ["of no user", { userIds: [] }, []],
      [
        "of a name, a user and a day",
        { events: [login.name], userIds: [2, 9], endMs: noonMs + dayMs / 2 },
        [6],
      ],
      ["of another project", { projectId: 99 }, []],
    ])("are those %s", async (_what, part, deleted) => {
      await using opened = await openStore(create);
      await fill(opened);
      const selection = { ...all, ...part };
      const counts = await opened.store.countEvents(selection, noSignal());
      expect(counts.reduce((sum, { records }) => sum + records, 0)).toBe(deleted.length);
      expect(await opened.store.deleteEvents(selection, many)).toBe(deleted.length);
      const left = [1, 2, 3, 4, 5, 6].filter((number) => !deleted.includes(number));
      expect(await pricesOf(opened.store)).toEqual(left);
      expect(await opened.store.countEvents(selection, noSignal())).toEqual([]);
      expect(await opened.store.check(noSignal())).toEqual([]);
      expect(await pricesOf(await opened.reopen())).toEqual(left);
    });

    it("are counted by name, in the order of their appearance", async () => {
      await using opened = await openStore(create);
      await fill(opened);
      expect(await opened.store.countEvents(all, noSignal())).toEqual([
        { name: buy.name, records: 3 },
        { name: login.name, records: 3 },
      ]);
    });

    it("are none when they are more than were counted", async () => {
      await using opened = await openStore(create);
      await fill(opened);
      const { version } = opened.store.schema(1);
      const refused = opened.store.deleteEvents({ ...all, events: [buy.name] }, 2);
      await expect(refused).rejects.toMatchObject({ name: "TooManyEventsError", events: 3 });
      expect(opened.store.schema(1).version).toBe(version);
      expect(await pricesOf(opened.store)).toEqual([1, 2, 3, 4, 5, 6]);
    });

    it("leave names, users and days with other events", async () => {
      await using opened = await openStore(create);
      await fill(opened);
      const { version } = opened.store.schema(1);
      await opened.store.deleteEvents({ ...all, userIds: [1] }, many);
      expect(opened.store.schema(1).version).toBeGreaterThan(version);
      expect([...opened.store.schema(1).events.keys()]).toEqual([buy.name, login.name]);
      expect(await opened.store.stats()).toMatchObject({
        projects: [{ days: 2, events: 2, updatableEvents: 1, users: 2, eventNames: 2 }],
      });
    });

    it("do not include what is loaded later", async () => {
      await using opened = await openStore(create);
      await fill(opened);
      await opened.store.deleteEvents(all, many);
      await opened.load({
        events: [eventOf({ p: { [price.number]: 7 } })],
        updates: [updateOf({ u: 2, a: "bob", e: login.number, i: "i", t: noonMs, p: { [price.number]: 8 } })],
      });
      expect(await pricesOf(opened.store)).toEqual([7, 8]);
      expect((await recordsOf(opened.store)).filter((one) => one["#type"] === "user_set")).toHaveLength(2);
      expect(await opened.store.check(noSignal())).toEqual([]);
    });

    it("belong to users who are found by their ids", async () => {
      await using opened = await openStore(create);
      await fill(opened);
      await opened.load({ users: [userOf("seen", { u: 3, a: "eve", d: "phone" })] });
      const identifiers = [
        { accountId: "bob" },
        { accountId: "nobody" },
        { userId: 1n },
        { userId: 77n },
        { distinctId: "unheard" },
        { distinctId: "phone" },
        {},
      ];
      expect(await opened.store.findUsers(1, identifiers, noSignal())).toEqual([
        2,
        undefined,
        1,
        undefined,
        undefined,
        3,
        undefined,
      ]);
      expect(await opened.store.findUsers(99, [{ accountId: "bob" }], noSignal())).toEqual([undefined]);
    });
  });
}
