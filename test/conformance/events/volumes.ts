import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  CountedValue,
  EventStore,
  Expression,
  ProjectVolumes,
  TopValues,
  ValuesWanted,
} from "../../../store/events/events.ts";
import { at5, autumn, hourMs, of, openScanned, utc } from "./scan-world.ts";
import {
  buy,
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

const { price, city, at, gift, tags, items, itemName, level, badges, paying, homeCity } = properties;

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
  describe("top values", () => {
    let opened: OpenedStore;
    beforeAll(async () => {
      opened = await openScanned(create);
      const changed = { [level.number]: 3, [badges.number]: ["x", "y", "x"] };
      await opened.load({ users: [userOf("set", { u: 2, p: changed })] });
    });
    afterAll(() => opened[Symbol.asyncDispose]());
    const top: Top = (wanted) => opened.store.topValues(wanted, noSignal());
    testValues(top);
    testUserValues(top);
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

function wantedOf(expression: Expression, more: Partial<ValuesWanted> = {}): ValuesWanted {
  return {
    projectId: 1,
    table: "event",
    of: expression,
    zone: utc,
    startMs: -Infinity,
    endMs: Infinity,
    events: undefined,
    limit: 10,
    ...more,
  };
}

type Top = (wanted: ValuesWanted) => Promise<TopValues>;

const pairsOf = (values: readonly CountedValue[]) => values.map(({ value, count }) => [value, count]);

function testValues(top: Top): void {
  it("are those of columns of every type", async () => {
    const ask = async (expression: Expression) => {
      const { values, count, withValue } = await top(wantedOf(expression));
      return [pairsOf(values), count, withValue];
    };
    expect(await ask(of(city))).toEqual([
      [
        ["Bern", 3],
        ["Oslo", 2],
      ],
      7,
      5,
    ]);
    expect(await ask(of(price))).toEqual([
      [
        [2.5, 1],
        [10, 1],
        [20, 1],
        [40, 1],
      ],
      7,
      4,
    ]);
    expect(await ask(of(gift))).toEqual([
      [
        [false, 1],
        [true, 1],
      ],
      7,
      2,
    ]);
    expect(await ask(of(tags))).toEqual([
      [
        ["b", 3],
        ["a", 2],
      ],
      7,
      3,
    ]);
    expect(await ask(of(itemName))).toEqual([
      [
        ["cap", 1],
        ["pen", 1],
      ],
      7,
      1,
    ]);
    const object = '[{"name":"pen","count":2},{"name":"cap"},{"name":"pen","count":2}]';
    expect(await ask(of(items))).toEqual([[[object, 1]], 7, 1]);
    expect(await ask({ kind: "builtin", name: "event_name" })).toEqual([
      [
        [buy.name, 5],
        [login.name, 2],
      ],
      7,
      7,
    ]);
    expect(await ask({ kind: "builtin", name: "user_id" })).toEqual([
      [
        [1, 4],
        [2, 2],
        [3, 1],
      ],
      7,
      7,
    ]);
    expect(await ask(of(level))).toEqual([[[3, 6]], 7, 6]);
    expect(await ask({ kind: "null" })).toEqual([[], 7, 0]);
    const texts = new Map([["Bern", "CH"]]);
    expect(await ask({ kind: "lookup", of: of(city), texts })).toEqual([[["CH", 3]], 7, 3]);
  });

  it("are times in the zone", async () => {
    const wanted = wantedOf({ kind: "local", of: of(at) }, { zone: autumn });
    const { values } = await top(wanted);
    expect(values.map(({ value, count }) => [Number(value), count])).toEqual([[at5(1, 0), 1]]);
  });

  it("are those of some events, days and beginnings", async () => {
    const ask = async (more: Partial<ValuesWanted>, expression = of(city)) => {
      const { values, count, withValue } = await top(wantedOf(expression, more));
      return [pairsOf(values), count, withValue];
    };
    expect(await ask({ events: [login.number] })).toEqual([[["Oslo", 1]], 2, 1]);
    expect(await ask({ events: [] })).toEqual([[], 0, 0]);
    expect(await ask({ startMs: at5(0, 2), endMs: at5(0, 23) })).toEqual([[["Oslo", 1]], 1, 1]);
    expect(await ask({ prefix: "O" })).toEqual([[["Oslo", 2]], 7, 5]);
    expect(await ask({ prefix: "o" })).toEqual([[], 7, 5]);
    expect(await ask({ prefix: "%" })).toEqual([[], 7, 5]);
    expect(await ask({ prefix: "1" }, of(price))).toEqual([[], 7, 4]);
    const name: Expression = { kind: "builtin", name: "event_name" };
    expect(await ask({ prefix: "Lo" }, name)).toEqual([[[login.name, 2]], 7, 7]);
    expect(await ask({ projectId: 99 })).toEqual([[], 0, 0]);
  });

  it("are read page by page, ties by value", async () => {
    const found: unknown[] = [];
    for (let after: CountedValue | undefined; ; ) {
      const { values } = await top(wantedOf(of(price), { limit: 2, ...(after && { after }) }));
      if (values.length === 0) break;
      found.push(...values.map(({ value }) => value));
      after = values.at(-1);
    }
    expect(found).toEqual([2.5, 10, 20, 40]);
  });

  it.each<[string, Expression, CountedValue, unknown[]]>([
    ["a text", of(city), { value: "Bern", count: 3 }, ["Oslo"]],
    ["an element of lists", of(tags), { value: "b", count: 3 }, ["a"]],
    ["false", of(gift), { value: false, count: 1 }, [true]],
    ["an id", { kind: "builtin", name: "user_id" }, { value: 1, count: 4 }, [2, 3]],
    ["an event", { kind: "builtin", name: "event_name" }, { value: buy.name, count: 5 }, [login.name]],
    ["a removed event", { kind: "builtin", name: "event_name" }, { value: "gone", count: 3 }, [login.name]],
    ["a value that is not there", of(city), { value: "Cairo", count: 2 }, ["Oslo"]],
  ])("follow %s", async (_name, expression, after, expected) => {
    const { values } = await top(wantedOf(expression, { after }));
    expect(values.map(({ value }) => value)).toEqual(expected);
  });
}

function testUserValues(top: Top): void {
  it("of users count each once, as they are now", async () => {
    const ask = async (expression: Expression, more: Partial<ValuesWanted> = {}) => {
      const wanted = wantedOf(expression, { table: "user", ...more });
      const { values, count, withValue } = await top(wanted);
      return [pairsOf(values), count, withValue];
    };
    expect(await ask(of(level))).toEqual([[[3, 2]], 3, 2]);
    expect(await ask(of(badges))).toEqual([
      [
        ["x", 1],
        ["y", 1],
      ],
      3,
      1,
    ]);
    expect(await ask(of(homeCity), { prefix: "B" })).toEqual([[["Bern", 1]], 3, 1]);
    expect(await ask(of(paying))).toEqual([[[true, 1]], 3, 1]);
    expect(await ask({ kind: "builtin", name: "user_id" }, { limit: 2 })).toEqual([
      [
        [1, 1],
        [2, 1],
      ],
      3,
      3,
    ]);
    expect(await ask(of(price))).toEqual([[], 3, 0]);
    expect(await ask(of(level), { projectId: 99 })).toEqual([[], 0, 0]);
  });
}
