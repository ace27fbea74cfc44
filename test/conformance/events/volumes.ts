import { describe, expect, it } from "vitest";
import type { EventStore, ProjectVolumes } from "../../../store/events/events.ts";
import { hourMs, of } from "./scan-world.ts";
import { wantedOf } from "./top-values.ts";
import {
  type CreateEventsWorld,
  dayMs,
  eventOf,
  login,
  noonMs,
  noSignal,
  type OpenedStore,
  openStore,
  properties,
  updateOf,
  userOf,
} from "./world.ts";

const { price, city, gift, tags, level, badges, paying } = properties;

const volumesOf = (store: EventStore, projectId = 1): Promise<ProjectVolumes> =>
  store.volumes({ projectId }, noSignal());

/** The volumes by name; of each event its number, the days from noon on, its ids, and its values by property. */
async function namedVolumes(store: EventStore): Promise<object> {
  const { schema, events, users } = await volumesOf(store);
  const names = new Map([...schema.properties.values()].map(({ name, number }) => [number, name]));
  const named = (values: ReadonlyMap<number, number>) =>
    Object.fromEntries(Array.from(values, ([number, count]) => [names.get(number), count]));
  const found = [...schema.events.values()].flatMap(({ name, number }) => {
    const volume = events.get(number);
    if (volume === undefined) return [];
    const { count, firstMs, lastMs, accounts, visitors, values } = volume;
    const days = [firstMs, lastMs].map((ms) => (ms - noonMs) / dayMs);
    return [[name, [count, ...days, accounts, visitors, named(values)]]];
  });
  const { count, accounts, visitors, values } = users;
  return { events: Object.fromEntries(found), users: [count, accounts, visitors, named(values)] };
}

/** A login without an account. */
const { a: _account, ...visit } = eventOf({ e: login.number });

/** Events of three days, an event that changes twice, and users. */
async function fill({ load }: Pick<OpenedStore, "load">): Promise<void> {
  await load({
    events: [
      eventOf({ p: { [price.number]: 1, [tags.number]: ["a", "b"] } }),
      eventOf({ t: noonMs + 2 * dayMs, d: "va", p: { [price.number]: 2, [tags.number]: [] } }),
      { ...visit, t: noonMs + dayMs, u: 2, d: "vb", p: { [city.number]: "Bern" } },
    ],
    updates: [updateOf({ t: noonMs + 3 * dayMs, p: { [gift.number]: true } })],
    users: [
      userOf("set", { u: 1, a: "ada", d: "va", p: { [level.number]: 3, [badges.number]: [] } }),
      userOf("seen", { u: 2, d: "vb" }),
    ],
  });
  await load({
    updates: [updateOf({ t: noonMs + 3 * dayMs, p: { [price.number]: 7 } })],
    users: [userOf("set", { u: 1, p: { [level.number]: 4, [paying.number]: true } })],
  });
}

const filled = {
  events: {
    buy: [3, 0, 3, 3, 1, { price: 3, tags: 1, gift: 1 }],
    Login: [1, 1, 1, 0, 1, { "#city": 1 }],
  },
  users: [2, 1, 2, { level: 1, paying: 1 }],
};

export function testVolumes(create: CreateEventsWorld): void {
  describe("volumes", () => {
    testCounts(create);
    testChanges(create);
  });
}

function testCounts(create: CreateEventsWorld): void {
  it("are those of each event and its values, and of users", async () => {
    await using opened = await openStore(create);
    await fill(opened);
    expect(await namedVolumes(opened.store)).toEqual(filled);
    expect(await namedVolumes(await opened.reopen())).toEqual(filled);
  });

  it("are none without data", async () => {
    await using opened = await openStore(create);
    const none = { count: 0, accounts: 0, visitors: 0, values: new Map() };
    expect(await volumesOf(opened.store)).toEqual({
      schema: opened.store.schema(1),
      events: new Map(),
      users: none,
    });
    const { schema, events, users } = await volumesOf(opened.store, 99);
    expect([schema.version, events.size, users]).toEqual([0, 0, none]);
  });

  it("take a slot as queries do, and end with their signal", async () => {
    await using opened = await openStore(create, { maxQueries: 1, maxWaiting: 0 });
    await fill(opened);
    const [first, second] = [volumesOf(opened.store), volumesOf(opened.store)];
    expect(opened.store.queryCounts()).toEqual({ running: 1, waiting: 0 });
    await expect(second).rejects.toMatchObject({ name: "TooManyQueriesError" });
    await first;
    const reason = new Error("gone");
    const leaving = new AbortController();
    const left = opened.store.volumes({ projectId: 1 }, leaving.signal);
    leaving.abort(reason);
    await expect(left).rejects.toBe(reason);
    await expect(opened.store.topValues(wantedOf(of(price)), leaving.signal)).rejects.toBe(reason);
    expect(opened.store.queryCounts()).toEqual({ running: 0, waiting: 0 });
    expect(await namedVolumes(opened.store)).toEqual(filled);
  });
}

function testChanges(create: CreateEventsWorld): void {
  it("follow later batches, whose days and names may be known", async () => {
    await using opened = await openStore(create);
    await fill(opened);
    await volumesOf(opened.store);
    await opened.load({ events: [eventOf({ t: noonMs + hourMs, p: { [price.number]: 3 } })] });
    const late = { table: "event", name: "late", number: 50, type: "text" } as const;
    await volumesOf(opened.store);
    await opened.load({
      newEvents: [{ name: "leave", number: 9 }],
      newProperties: [late],
      events: [
        eventOf({ t: noonMs - dayMs, p: { [late.number]: "x" } }),
        eventOf({ e: 9, t: noonMs + dayMs, p: { [late.number]: "y" } }),
      ],
    });
    expect(await namedVolumes(opened.store)).toEqual({
      ...filled,
      events: {
        ...filled.events,
        buy: [5, -1, 3, 5, 1, { price: 4, tags: 1, gift: 1, late: 1 }],
        leave: [1, 1, 1, 1, 0, { late: 1 }],
      },
    });
  });

  it("follow the upkeep: rewritten and dropped days", async () => {
    await using opened = await openStore(create);
    await fill(opened);
    await volumesOf(opened.store);
    const options = { nowMs: noonMs + 4 * dayMs, keepDays: new Map<number, number>(), signal: noSignal() };
    await opened.store.compact(options);
    expect(await namedVolumes(opened.store)).toEqual(filled);
    await opened.store.compact({ ...options, keepDays: new Map([[1, 2]]) });
    expect(await namedVolumes(opened.store)).toEqual({
      ...filled,
      events: { buy: [2, 2, 3, 2, 1, { price: 2, gift: 1 }] },
    });
  });

  it("follow removed names, also when their numbers are assigned again", async () => {
    await using opened = await openStore(create);
    await fill(opened);
    await volumesOf(opened.store);
    const removed = [{ table: "event", name: price.name }] as const;
    await opened.store.removeNames({ projectId: 1, events: [login.name], properties: removed });
    await opened.load({
      newEvents: [{ name: "leave", number: login.number }],
      newProperties: [{ table: "event", name: "size", number: price.number, type: "text" }],
      events: [eventOf({ e: login.number, t: noonMs + dayMs, p: { [price.number]: "x" } })],
    });
    expect(await namedVolumes(opened.store)).toEqual({
      ...filled,
      events: {
        buy: [3, 0, 3, 3, 1, { tags: 1, gift: 1 }],
        leave: [1, 1, 1, 1, 0, { size: 1 }],
      },
    });
  });
}
