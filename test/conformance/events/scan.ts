import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  Buckets,
  EventStore,
  Expression,
  GroupKey,
  Measure,
  Predicate,
  PreparedEvent,
  Property,
  Scan,
  UserScan,
  ZoneStep,
} from "../../../store/events/events.ts";
import {
  buy,
  type CreateEventsWorld,
  dayMs,
  eventOf,
  login,
  noSignal,
  type OpenedStore,
  openStore,
  properties,
  updateOf,
  userOf,
} from "./world.ts";

const { price, city, at, gift, tags, items, itemName, itemCount, level, born, paying, home, homeCity } =
  properties;

const startMs = Date.UTC(2026, 0, 5);
const hourMs = 3_600_000;
const at5 = (day: number, hour: number): number => startMs + day * dayMs + hour * hourMs;

export const of = (property: Property): Expression => ({ kind: "property", property });
const byValues = (property: Property): GroupKey => ({ kind: "values", of: of(property) });
const always: Predicate = { kind: "always", value: true };
const userId: Expression = { kind: "builtin", name: "user_id" };
const number = (value: number): Expression => ({ kind: "number", value });
const text = (value: string): Expression => ({ kind: "text", value });
const equals = (property: Property, ...values: (string | number | boolean)[]): Predicate => ({
  kind: "in",
  of: of(property),
  values,
});
const not = (of: Predicate): Predicate => ({ kind: "not", of });

const utc: readonly ZoneStep[] = [{ fromMs: -Infinity, offsetMs: 0 }];
/** Clocks go one hour back at 01:00 UTC of the second day, when it is 03:00. */
const autumn: readonly ZoneStep[] = [
  { fromMs: -Infinity, offsetMs: 2 * hourMs },
  { fromMs: at5(1, 1), offsetMs: hourMs },
];

export function bucketsOf(count: number, sizeMs: number, offsetMs = 0): Buckets {
  const localEdges = Array.from({ length: count + 1 }, (_, edge) => startMs + edge * sizeMs);
  return { startMs: startMs - offsetMs, endMs: startMs + count * sizeMs - offsetMs, localEdges };
}

const threeDays = bucketsOf(3, dayMs);
const oneBucket = bucketsOf(1, 3 * dayMs);

export function measureOf(
  aggregate: Measure["aggregate"],
  where: Predicate = always,
  events?: readonly number[],
): Measure {
  return { events, where, aggregate };
}

const count = measureOf({ kind: "count" });
const users = measureOf({ kind: "distinct", of: userId, as: "value" });

export function scanOf(more: Partial<Scan> = {}): Scan {
  return { projectId: 1, zone: utc, buckets: threeDays, keys: [], measures: [count], totals: true, ...more };
}

/**
 * Three days, by user: 1 buys on days 0, 0 and 2, logs in on day 1; 2 buys on
 * days 0 and 1; 3 only logs in, on day 2.
 */
const events: readonly PreparedEvent[] = [
  eventOf({
    t: at5(0, 1),
    u: 1,
    p: { [price.number]: 10, [city.number]: "Bern", [gift.number]: true, [tags.number]: ["a", "b", "a"] },
  }),
  eventOf({
    t: at5(0, 23),
    u: 1,
    p: { [price.number]: 2.5, [city.number]: "Bern", [gift.number]: false, [tags.number]: ["b", "a"] },
  }),
  eventOf({ t: at5(0, 12), u: 2, p: { [price.number]: 40, [city.number]: "Oslo", [tags.number]: ["b"] } }),
  eventOf({ t: at5(1, 0), u: 2, p: { [price.number]: 20, [at.number]: at5(0, 22) } }),
  eventOf({ t: at5(1, 12), u: 1, e: login.number, p: { [city.number]: "Oslo" } }),
  eventOf({
    ...{ t: at5(2, 0), u: 1 },
    p: {
      [city.number]: "Bern",
      [items.number]: '[{"name":"pen","count":2},{"name":"cap"},{"name":"pen","count":2}]',
      [itemName.number]: ["pen", "cap", "pen"],
      [itemCount.number]: [2, null, 2],
    },
  }),
  eventOf({ t: at5(2, 23), u: 3, e: login.number }),
];

const userRows = [
  userOf("set", {
    u: 1,
    a: "ada",
    d: "va",
    p: {
      [level.number]: 3,
      [paying.number]: true,
      [home.number]: '{"city":"Bern"}',
      [homeCity.number]: "Bern",
      [born.number]: at5(0, 0),
    },
  }),
  userOf("set", { u: 2, a: "bob", p: { [level.number]: 7 } }),
  userOf("seen", { u: 3, d: "vc" }),
];

/** Totals and cells of each group, by its keys. */
async function ask(
  store: EventStore,
  scan: Scan,
): Promise<Record<string, { totals: number[]; cells: number[][] }>> {
  await using result = await store.scan(scan, noSignal());
  const { values } = await result.cells();
  const { length } = result.groups.keys;
  const found = result.groups.keys.map((keys, group) => [
    JSON.stringify(keys),
    {
      totals: result.groups.totals.map((total) => total[group]!),
      cells: values.map((one) => [
        ...one.slice((group * one.length) / length, ((group + 1) * one.length) / length),
      ]),
    },
  ]);
  return Object.fromEntries(found);
}

/** Only the totals of the first measure. */
async function totals(store: EventStore, scan: Partial<Scan>): Promise<Record<string, number>> {
  const found = await ask(store, scanOf({ buckets: oneBucket, ...scan }));
  return Object.fromEntries(Object.entries(found).map(([keys, { totals: all }]) => [keys, all[0]!]));
}

async function usersOf(store: EventStore, scan: UserScan): Promise<number[]> {
  const ids: number[] = [];
  for await (const page of store.users(scan, noSignal()))
    ids.push(...page.map(({ userId }) => Number(userId)));
  return ids;
}

export function testScan(create: CreateEventsWorld): void {
  const openLoaded = async (): Promise<OpenedStore> => {
    const opened = await openStore(create);
    await opened.load({ events, users: userRows });
    const vip = { projectId: 1, name: "vip", kind: "cohort" } as const;
    await opened.store.importCluster({ ...vip, day: "2026-01-01" }, pages({ userId: 2n }));
    await opened.store.importCluster({ ...vip, day: "2026-01-04" }, pages({ userId: 1n }));
    const size = { projectId: 1, name: "size", kind: "tag", day: "2026-01-04" } as const;
    await opened.store.importCluster(size, pages({ userId: 2n, value: "big" }));
    return opened;
  };
  /** Most tests only read. */
  let shared: OpenedStore;
  beforeAll(async () => {
    shared = await openLoaded();
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  describe("measures", () => {
    it.each<[string, Measure, number, number[]]>([
      ["events", count, 7, [3, 2, 2]],
      ["events of some kind", measureOf({ kind: "count" }, always, [buy.number]), 5, [3, 1, 1]],
      ["users", users, 3, [2, 2, 2]],
      [
        "users of some kind",
        measureOf({ kind: "distinct", of: userId, as: "value" }, always, [login.number]),
        2,
        [0, 1, 1],
      ],
      ["values", measureOf({ kind: "values", of: of(price) }), 4, [3, 1, 0]],
      ["values of lists", measureOf({ kind: "values", of: of(tags) }), 3, [3, 0, 0]],
      ["sum", measureOf({ kind: "sum", of: of(price) }), 72.5, [52.5, 20, NaN]],
      ["sum of texts", measureOf({ kind: "sum", of: of(city) }), NaN, [NaN, NaN, NaN]],
      ["min", measureOf({ kind: "min", of: of(price) }), 2.5, [2.5, 20, NaN]],
      ["max", measureOf({ kind: "max", of: of(price) }), 40, [40, 20, NaN]],
      ["min of times", measureOf({ kind: "min", of: of(at) }), at5(0, 22), [NaN, at5(0, 22), NaN]],
      ["median", measureOf({ kind: "quantile", of: of(price), fraction: 0.5 }), 15, [10, 20, NaN]],
      [
        "quantile between",
        measureOf({ kind: "quantile", of: of(price), fraction: 0.25 }),
        8.125,
        [6.25, 20, NaN],
      ],
      ["different texts", measureOf({ kind: "distinct", of: of(city), as: "value" }), 2, [2, 1, 1]],
      [
        "different events",
        measureOf({ kind: "distinct", of: { kind: "builtin", name: "event_name" }, as: "value" }),
        2,
        [1, 2, 2],
      ],
      ["different lists", measureOf({ kind: "distinct", of: of(tags), as: "list" }), 3, [3, 0, 0]],
      ["different sets", measureOf({ kind: "distinct", of: of(tags), as: "set" }), 2, [2, 0, 0]],
      ["different elements", measureOf({ kind: "distinct", of: of(tags), as: "element" }), 2, [2, 0, 0]],
      [
        "different numbers in lists",
        measureOf({ kind: "distinct", of: of(itemCount), as: "element" }),
        1,
        [0, 0, 1],
      ],
    ])("%s", async (_what, measure, total, cells) => {
      const kept = await ask(shared.store, scanOf({ measures: [measure] }));
      expect(kept).toEqual({ "[]": { totals: [total], cells: [cells] } });
      const whole = await ask(shared.store, scanOf({ measures: [measure], buckets: oneBucket }));
      expect(whole).toEqual({ "[]": { totals: [total], cells: [[total]] } });
    });

    it("come together in one scan, each with its own events and conditions", async () => {
      const measures = [
        count,
        users,
        measureOf({ kind: "sum", of: of(price) }, equals(gift, true)),
        measureOf({ kind: "distinct", of: userId, as: "value" }, equals(city, "Oslo")),
        measureOf({ kind: "quantile", of: of(price), fraction: 1 }, always, [buy.number]),
        measureOf({ kind: "distinct", of: of(tags), as: "element" }),
        measureOf({ kind: "count" }, always, []),
      ];
      expect(await ask(shared.store, scanOf({ measures }))).toEqual({
        "[]": {
          totals: [7, 3, 10, 2, 40, 2, 0],
          cells: [
            [3, 2, 2],
            [2, 2, 2],
            [10, NaN, NaN],
            [1, 1, 0],
            [40, 20, NaN],
            [2, 0, 0],
            [0, 0, 0],
          ],
        },
      });
    });

    it("make a group known that has events but no values", async () => {
      const measures = [measureOf({ kind: "distinct", of: of(price), as: "value" }, always, [login.number])];
      expect(await ask(shared.store, scanOf({ measures, keys: [byValues(city)] }))).toEqual({
        '["Oslo"]': { totals: [0], cells: [[0, 0, 0]] },
        "[null]": { totals: [0], cells: [[0, 0, 0]] },
      });
    });

    it.each<[string, Partial<Scan>]>([
      ["of no events", { measures: [measureOf({ kind: "count" }, always, [])] }],
      ["of events that nobody reported", { measures: [measureOf({ kind: "count" }, always, [99])] }],
      [
        "where nothing holds",
        { measures: [measureOf({ kind: "sum", of: of(price) }, equals(city, "Rome"))] },
      ],
      ["of a project without events", { projectId: 8 }],
      ["without measures", { measures: [] }],
      ["of another time", { buckets: { startMs: 0, endMs: dayMs, localEdges: [0, dayMs] } }],
    ])("find no group %s", async (_what, more) => {
      expect(await ask(shared.store, scanOf(more))).toEqual({});
      expect(await ask(shared.store, scanOf({ keys: [byValues(city)], ...more }))).toEqual({});
    });

    it("leave totals out when nobody wants them", async () => {
      const measures = [count, users, measureOf({ kind: "quantile", of: of(price), fraction: 0.5 })];
      const found = await ask(shared.store, scanOf({ measures, totals: false }));
      expect(found["[]"]).toEqual({
        totals: [],
        cells: [
          [3, 2, 2],
          [2, 2, 2],
          [10, 20, NaN],
        ],
      });
    });
  });

  describe("events that records changed", () => {
    it("count as they are now", async () => {
      await using store = await openLoaded();
      await store.load({
        updates: [
          updateOf({ i: "x", t: at5(0, 5), u: 2, p: { [price.number]: 1, [city.number]: "Rome" } }),
          updateOf({ i: "x", t: at5(1, 5), u: 2, p: { [price.number]: 100 } }),
        ],
      });
      const where = equals(city, "Rome");
      const measures = [
        measureOf({ kind: "sum", of: of(price) }, where),
        measureOf({ kind: "distinct", of: userId, as: "value" }, where),
      ];
      const found = await ask(store.store, scanOf({ measures }));
      expect(found["[]"]!.totals).toEqual([100, 1]);
    });
  });

  describe("keys", () => {
    const days = (first: number, second: number, third: number) => ({
      totals: [first + second + third],
      cells: [[first, second, third]],
    });

    it.each<[string, GroupKey[], Record<string, ReturnType<typeof days>>]>([
      [
        "text",
        [byValues(city)],
        { '["Bern"]': days(2, 0, 1), '["Oslo"]': days(1, 1, 0), "[null]": days(0, 1, 1) },
      ],
      [
        "number",
        [byValues(price)],
        {
          "[10]": days(1, 0, 0),
          "[2.5]": days(1, 0, 0),
          "[40]": days(1, 0, 0),
          "[20]": days(0, 1, 0),
          "[null]": days(0, 1, 2),
        },
      ],
      [
        "boolean",
        [byValues(gift)],
        { "[true]": days(1, 0, 0), "[false]": days(1, 0, 0), "[null]": days(1, 2, 2) },
      ],
      ["time", [byValues(at)], { [`[${at5(0, 22)}]`]: days(0, 1, 0), "[null]": days(3, 1, 2) }],
      [
        "event name",
        [{ kind: "values", of: { kind: "builtin", name: "event_name" } }],
        { '["buy"]': days(3, 1, 1), '["Login"]': days(0, 1, 1) },
      ],
      [
        "user id",
        [{ kind: "values", of: userId }],
        { "[1]": days(2, 1, 1), "[2]": days(1, 1, 0), "[3]": days(0, 0, 1) },
      ],
      [
        "user property",
        [byValues(level)],
        { "[3]": days(2, 1, 1), "[7]": days(1, 1, 0), "[null]": days(0, 0, 1) },
      ],
      [
        "two columns",
        [byValues(city), byValues(gift)],
        {
          '["Bern",true]': days(1, 0, 0),
          '["Bern",false]': days(1, 0, 0),
          '["Bern",null]': days(0, 0, 1),
          '["Oslo",null]': days(1, 1, 0),
          "[null,null]": days(0, 1, 1),
        },
      ],
      ["list", [byValues(tags)], { '["a"]': days(2, 0, 0), '["b"]': days(3, 0, 0), "[null]": days(0, 2, 2) }],
      [
        "members of one group",
        [byValues(itemName), byValues(itemCount)],
        {
          '["pen",2]': days(0, 0, 1),
          '["cap",null]': days(0, 0, 1),
          "[null,null]": days(3, 2, 1),
        },
      ],
      ["a member with gaps", [byValues(itemCount)], { "[2]": days(0, 0, 1), "[null]": days(3, 2, 2) }],
      [
        "two lists",
        [byValues(tags), byValues(itemName)],
        {
          '["a",null]': days(2, 0, 0),
          '["b",null]': days(3, 0, 0),
          "[null,null]": days(0, 2, 1),
          '[null,"pen"]': days(0, 0, 1),
          '[null,"cap"]': days(0, 0, 1),
        },
      ],
      [
        "intervals",
        [{ kind: "intervals", of: of(price), boundaries: [2.5, 10, 40] }],
        {
          "[1]": days(1, 0, 0),
          "[2]": days(1, 1, 0),
          "[3]": days(1, 0, 0),
          "[null]": days(0, 1, 2),
        },
      ],
      [
        "intervals of times",
        [
          {
            kind: "intervals",
            of: { kind: "builtin", name: "event_time" },
            boundaries: [at5(0, 12), at5(1, 12)],
          },
        ],
        {
          "[0]": days(1, 0, 0),
          "[1]": days(2, 1, 0),
          "[2]": days(0, 1, 2),
        },
      ],
      [
        "predicate",
        [{ kind: "predicate", of: equals(gift, true) }],
        { "[true]": days(1, 0, 0), "[false]": days(2, 2, 2) },
      ],
      [
        "a property that nobody reported",
        [{ kind: "values", of: { kind: "null" } }],
        { "[null]": days(3, 2, 2) },
      ],
    ])("%s", async (_what, keys, groups) => {
      expect(await ask(shared.store, scanOf({ keys }))).toEqual(groups);
    });

    it("give users, too, and several measures", async () => {
      const found = await ask(
        shared.store,
        scanOf({
          keys: [byValues(tags)],
          measures: [users, count, measureOf({ kind: "sum", of: of(price) })],
        }),
      );
      expect(found).toEqual({
        '["a"]': {
          totals: [1, 2, 12.5],
          cells: [
            [1, 0, 0],
            [2, 0, 0],
            [12.5, NaN, NaN],
          ],
        },
        '["b"]': {
          totals: [2, 3, 52.5],
          cells: [
            [2, 0, 0],
            [3, 0, 0],
            [52.5, NaN, NaN],
          ],
        },
        "[null]": {
          totals: [3, 4, 20],
          cells: [
            [0, 2, 2],
            [0, 2, 2],
            [NaN, 20, NaN],
          ],
        },
      });
    });

    it("are kept apart whatever text they hold", async () => {
      await using store = await openLoaded();
      const names = [
        "'; DROP TABLE users; --",
        '"',
        "$1",
        "NULL",
        "\u0000",
        "bern",
        "😀",
        "{p1:String}",
        "a\nb",
      ];
      await store.load({ events: names.map((name) => eventOf({ p: { [city.number]: name } })) });
      const found = await totals(store.store, {
        keys: [byValues(city)],
        measures: [measureOf({ kind: "count" }, equals(city, ...names))],
      });
      expect(found).toEqual(Object.fromEntries(names.map((name) => [JSON.stringify([name]), 1])));
    });

    it("are null for an empty text in a list", async () => {
      await using store = await openLoaded();
      const lists = [["", "x", "x"], [""], ["x", "y"]];
      await store.load({
        events: lists.map((list) => eventOf({ p: { [tags.number]: list, [city.number]: "lists" } })),
      });
      const counted = (aggregate: Measure["aggregate"]) => measureOf(aggregate, equals(city, "lists"));
      const measures = [
        counted({ kind: "count" }),
        counted({ kind: "distinct", of: of(tags), as: "element" }),
      ];
      expect(await totals(store.store, { keys: [byValues(tags)], measures })).toEqual({
        "[null]": 2,
        '["x"]': 2,
        '["y"]': 1,
      });
      expect(await totals(store.store, { measures: measures.slice(1) })).toEqual({ "[]": 2 });
    });

    it("have nothing where only another measure met events of them", async () => {
      const measures = [
        measureOf({ kind: "count" }, always, [login.number]),
        measureOf({ kind: "distinct", of: userId, as: "value" }, always, [buy.number]),
        measureOf({ kind: "distinct", of: of(city), as: "value" }, equals(level, 7)),
      ];
      expect(await ask(shared.store, scanOf({ measures, keys: [{ kind: "values", of: userId }] }))).toEqual({
        "[1]": {
          totals: [1, 1, 0],
          cells: [
            [0, 1, 0],
            [1, 0, 1],
            [0, 0, 0],
          ],
        },
        "[2]": {
          totals: [0, 1, 1],
          cells: [
            [0, 0, 0],
            [1, 1, 0],
            [1, 0, 0],
          ],
        },
        "[3]": {
          totals: [1, 0, 0],
          cells: [
            [0, 0, 1],
            [0, 0, 0],
            [0, 0, 0],
          ],
        },
      });
    });

    it("answers cells of the groups that are asked for, in their order", async () => {
      await using result = await shared.store.scan(scanOf({ keys: [byValues(city)] }), noSignal());
      const names = result.groups.keys.map(([name]) => name);
      const chosen = [names.indexOf("Oslo"), names.indexOf("Bern")];
      expect([...(await result.cells(chosen)).values[0]!]).toEqual([1, 1, 0, 2, 0, 1]);
      expect([...(await result.cells([])).values[0]!]).toEqual([]);
    });
  });

  describe("conditions", () => {
    const gone: Expression = { kind: "null" };
    const times: Expression = { kind: "arithmetic", operator: "/", left: of(price), right: of(itemCount) };
    it.each<[string, Predicate, number]>([
      ["always", always, 7],
      ["never", { kind: "always", value: false }, 0],
      ["equals", equals(city, "Bern"), 3],
      ["equals any", equals(city, "Bern", "Oslo"), 5],
      ["equals none", equals(city), 0],
      ["equals a value of another type", equals(city, 3, true), 0],
      ["not equals, as missing values are not", not(equals(city, "Bern")), 4],
      ["not not", not(not(equals(city, "Bern"))), 3],
      ["boolean", equals(gift, true), 1],
      ["not boolean", not(equals(gift, true)), 6],
      ["no value", { kind: "isNull", of: of(city) }, 2],
      ["some value", not({ kind: "isNull", of: of(city) }), 5],
      ["no list", { kind: "isNull", of: of(tags) }, 4],
      ["nothing", { kind: "isNull", of: gone }, 7],
      ["and", { kind: "and", of: [equals(city, "Bern"), equals(gift, true)] }, 1],
      ["or", { kind: "or", of: [equals(city, "Oslo"), equals(gift, true)] }, 3],
      ["and of nothing", { kind: "and", of: [] }, 7],
      ["or of nothing", { kind: "or", of: [] }, 0],
      ["neither", not({ kind: "or", of: [equals(city, "Oslo"), equals(gift, true)] }), 4],
      ["less", { kind: "compare", operator: "<", left: of(price), right: number(10) }, 1],
      ["at most", { kind: "compare", operator: "<=", left: of(price), right: number(10) }, 2],
      ["not less", not({ kind: "compare", operator: "<", left: of(price), right: number(10) }), 6],
      [
        "later",
        {
          kind: "compare",
          operator: ">",
          left: { kind: "builtin", name: "event_time" },
          right: number(at5(1, 11)),
        },
        3,
      ],
      [
        "at least a part of a millisecond",
        {
          kind: "compare",
          operator: ">=",
          left: { kind: "builtin", name: "event_time" },
          right: number(at5(2, 0) + 0.5),
        },
        1,
      ],
      [
        "another order",
        {
          kind: "compare",
          operator: "<",
          left: number(at5(1, 11)),
          right: { kind: "builtin", name: "event_time" },
        },
        3,
      ],
      [
        "two columns",
        { kind: "compare", operator: "<", left: of(at), right: { kind: "builtin", name: "event_time" } },
        1,
      ],
      ["a text and a number", { kind: "compare", operator: "<", left: of(city), right: number(3) }, 0],
      [
        "a difference",
        {
          kind: "compare",
          operator: ">",
          left: { kind: "arithmetic", operator: "-", left: of(price), right: number(5) },
          right: number(10),
        },
        2,
      ],
      [
        "a division by zero",
        { kind: "isNull", of: { kind: "arithmetic", operator: "/", left: of(price), right: number(0) } },
        7,
      ],
      ["lists in sums", { kind: "isNull", of: times }, 7],
      ["contains", { kind: "contains", of: of(city), texts: ["er", "x"] }, 3],
      ["contains other case", { kind: "contains", of: of(city), texts: ["ER"] }, 0],
      ["contains what patterns have", { kind: "contains", of: of(city), texts: ["%", "_", "."] }, 0],
      ["not contains", not({ kind: "contains", of: of(city), texts: ["er"] }), 4],
      ["matches", { kind: "matches", of: of(city), pattern: "[sr][ln]" }, 5],
      ["matches from its start", { kind: "matches", of: of(city), pattern: "^B" }, 3],
      ["matches no number", { kind: "matches", of: of(price), pattern: "." }, 0],
      ["has an element", { kind: "hasElement", of: of(tags), values: ["a", "z"] }, 2],
      ["has not", not({ kind: "hasElement", of: of(tags), values: ["a"] }), 5],
      ["has a number", { kind: "hasElement", of: of(itemCount), values: [2] }, 1],
      ["element of no list", { kind: "hasElement", of: of(city), values: ["Bern"] }, 0],
      ["element at", { kind: "elementAt", of: of(tags), position: 2, value: "b" }, 1],
      ["element at the start", { kind: "elementAt", of: of(tags), position: 1, value: "b" }, 2],
      ["element beyond the end", { kind: "elementAt", of: of(tags), position: 4, value: "b" }, 0],
      ["element before the start", { kind: "elementAt", of: of(tags), position: -1, value: "a" }, 0],
      [
        "event name",
        { kind: "in", of: { kind: "builtin", name: "event_name" }, values: ["Login", "nobody"] },
        2,
      ],
      [
        "event name in other case",
        { kind: "in", of: { kind: "builtin", name: "event_name" }, values: ["login"] },
        0,
      ],
      [
        "part of an event name",
        { kind: "contains", of: { kind: "builtin", name: "event_name" }, texts: ["og"] },
        2,
      ],
      ["user property", equals(level, 3), 4],
      ["not user property", not(equals(level, 3)), 3],
      [
        "user's account",
        { kind: "in", of: { kind: "builtin", name: "user_account_id" }, values: ["bob"] },
        2,
      ],
      ["event's account", { kind: "in", of: { kind: "builtin", name: "account_id" }, values: ["bob"] }, 0],
      ["cohort", { kind: "inCluster", cluster: { name: "vip" } }, 4],
      ["cohort of a day", { kind: "inCluster", cluster: { name: "vip", day: "2026-01-03" } }, 2],
      ["cohort before its first day", { kind: "inCluster", cluster: { name: "vip", day: "2025-12-31" } }, 0],
      ["not in a cohort", not({ kind: "inCluster", cluster: { name: "vip" } }), 3],
      ["unknown cohort", { kind: "inCluster", cluster: { name: "'; --" } }, 0],
      ["tag", { kind: "in", of: { kind: "tag", cluster: { name: "size" } }, values: ["big"] }, 2],
      ["no tag", { kind: "isNull", of: { kind: "tag", cluster: { name: "size" } } }, 5],
      ["text of its own", { kind: "in", of: text("x"), values: ["x"] }, 7],
      ["empty text", { kind: "isNull", of: text("") }, 7],
      [
        "first",
        { kind: "in", of: { kind: "first", of: [gone, of(city), text("none")] }, values: ["none"] },
        2,
      ],
      [
        "case",
        {
          kind: "in",
          of: {
            kind: "case",
            branches: [
              { when: equals(gift, true), text: "x" },
              { when: equals(city, "Bern"), text: "y" },
            ],
          },
          values: ["y"],
        },
        2,
      ],
      [
        "lookup",
        {
          kind: "in",
          of: {
            kind: "lookup",
            of: of(city),
            texts: new Map([
              ["Bern", "CH"],
              ["Oslo", "NO"],
              ["Rome", ""],
            ]),
          },
          values: ["CH"],
        },
        3,
      ],
      [
        "lookup of numbers",
        {
          kind: "in",
          of: {
            kind: "lookup",
            of: of(price),
            texts: new Map([
              ["2.5", "low"],
              ["10", "mid"],
              ["1e1", "no"],
            ]),
          },
          values: ["low", "mid", "no"],
        },
        2,
      ],
      [
        "lookup of booleans",
        {
          kind: "in",
          of: { kind: "lookup", of: of(gift), texts: new Map([["true", "yes"]]) },
          values: ["yes"],
        },
        1,
      ],
      ["nothing looked up", { kind: "isNull", of: { kind: "lookup", of: of(city), texts: new Map() } }, 7],
      [
        "the local hour's day",
        {
          kind: "compare",
          operator: "<",
          left: { kind: "startOfDay", of: { kind: "local", of: { kind: "builtin", name: "event_time" } } },
          right: number(at5(1, 0)),
        },
        3,
      ],
    ])("%s", async (_what, where, expected) => {
      const one = await totals(shared.store, { measures: [measureOf({ kind: "count" }, where)] });
      expect(one["[]"] ?? 0).toBe(expected);
      const both = await totals(shared.store, {
        measures: [count, measureOf({ kind: "count" }, where)].reverse(),
      });
      expect(both["[]"]).toBe(expected);
      const keyed = await totals(shared.store, { keys: [{ kind: "predicate", of: where }] });
      expect([keyed["[true]"] ?? 0, keyed["[false]"] ?? 0]).toEqual([expected, 7 - expected]);
    });
  });

  describe("buckets", () => {
    const cellsOf = async (scan: Partial<Scan>) => {
      const measures = [
        count,
        users,
        measureOf({ kind: "max", of: of(price) }),
        measureOf({ kind: "quantile", of: of(price), fraction: 0.5 }),
      ];
      return (await ask(shared.store, scanOf({ measures, ...scan })))["[]"]!;
    };

    it("are of local time", async () => {
      // 01:00 of day 1 is the first hour after midnight two hours to the west.
      const zone = [{ fromMs: -Infinity, offsetMs: -2 * hourMs }];
      expect(await cellsOf({ zone, buckets: bucketsOf(2, dayMs, -2 * hourMs) })).toEqual({
        totals: [5, 2, 40, 20],
        cells: [
          [3, 2],
          [2, 1],
          [40, NaN],
          [20, NaN],
        ],
      });
    });

    it("hold the hour that is there twice once", async () => {
      await using store = await openLoaded();
      const hours = [0.5, 1.5].map((hour) => eventOf({ t: at5(1, hour), p: { [city.number]: "twice" } }));
      await store.load({ events: hours });
      const localEdges = Array.from({ length: 49 }, (_, hour) => startMs + hour * hourMs);
      const buckets = { startMs: startMs - 2 * hourMs, endMs: startMs + 2 * dayMs - hourMs, localEdges };
      const measures = [measureOf({ kind: "count" }, equals(city, "twice"))];
      const found = await ask(store.store, scanOf({ zone: autumn, buckets, measures }));
      expect(found["[]"]!.cells[0]!.flatMap((value, hour) => (value === 0 ? [] : [[hour, value]]))).toEqual([
        [26, 2],
      ]);
    });

    it.each([
      ["hours", 72, hourMs],
      ["quarters of an hour", 288, hourMs / 4],
      ["days", 3, dayMs],
      ["weeks", 1, 7 * dayMs],
      ["minutes", 4320, hourMs / 60],
    ])("can be %s", async (_what, howMany, sizeMs) => {
      const found = await cellsOf({ buckets: { ...bucketsOf(howMany, sizeMs), endMs: at5(3, 0) } });
      const met = found.cells[0]!.flatMap((value, bucket) => (value === 0 ? [] : [bucket]));
      const expected = [...new Set(events.map(({ t }) => Math.floor((t - startMs) / sizeMs)))].sort(
        (a, b) => a - b,
      );
      expect(met).toEqual(expected);
      expect(found.totals).toEqual([7, 3, 40, 15]);
      expect(found.cells[0]!.reduce((a, b) => a + b)).toBe(7);
    });

    it("are of any length", async () => {
      const localEdges = [at5(0, 0), at5(0, 12), at5(2, 0), at5(9, 0)];
      expect((await cellsOf({ buckets: { ...threeDays, localEdges } })).cells.slice(0, 2)).toEqual([
        [1, 4, 2],
        [1, 2, 2],
      ]);
    });

    it("leave out what is beyond their edges and the range", async () => {
      const localEdges = [at5(0, 12), at5(0, 13), at5(1, 12)];
      expect(await cellsOf({ buckets: { startMs: at5(0, 0), endMs: at5(9, 0), localEdges } })).toMatchObject({
        totals: [3, 2, 40, 20],
        cells: [
          [1, 2],
          [1, 2],
          [40, 20],
          [40, 11.25],
        ],
      });
      expect(
        await cellsOf({ buckets: { startMs: at5(0, 12), endMs: at5(0, 23), localEdges } }),
      ).toMatchObject({ totals: [1, 1, 40, 40] });
    });

    it.each([1, 30])("can be windows that overlap, %d of them", async (times) => {
      const some: [number, number][] = [
        [at5(0, 0), at5(2, 0)],
        [at5(1, 0), at5(3, 0)],
        [at5(0, 23), at5(1, 1)],
        [at5(5, 0), at5(6, 0)],
        [at5(1, 0), at5(1, 0)],
      ];
      // Each time with other edges, so that there are many stretches.
      const windows = Array.from({ length: times }, (_, time) =>
        some.map(([from, to]) => [from, to + time] as [number, number]),
      ).flat();
      const found = await cellsOf({
        buckets: { startMs: at5(0, 0), endMs: at5(7, 0), localEdges: [], windows },
      });
      expect(found.totals).toEqual([7, 3, 40, 15]);
      const first = found.cells.map((values) => values.slice(0, 4));
      expect(first).toEqual([
        [5, 4, 2, 0],
        [2, 3, 2, 0],
        [40, 20, 20, NaN],
        [15, 20, 11.25, NaN],
      ]);
    });

    it("leave out what is in no window", async () => {
      const windows: [number, number][] = [
        [at5(0, 0), at5(0, 12)],
        [at5(2, 0), at5(2, 1)],
      ];
      const found = await cellsOf({ buckets: { ...threeDays, windows } });
      expect(found).toMatchObject({
        totals: [2, 1, 10, 10],
        cells: [
          [1, 1],
          [1, 1],
          [10, NaN],
          [10, NaN],
        ],
      });
    });
  });

  describe("users", () => {
    it.each<[string, Partial<UserScan>, number[]]>([
      ["of everything", {}, [1, 2, 3]],
      ["of a bucket", { bucket: 1 }, [1, 2]],
      ["of another bucket", { bucket: 2 }, [1, 3]],
      ["of no such bucket", { bucket: 3 }, []],
      ["of a group", { scan: scanOf({ keys: [byValues(city)] }), group: ["Oslo"] }, [1, 2]],
      [
        "of a group in a bucket",
        { scan: scanOf({ keys: [byValues(city)] }), group: ["Oslo"], bucket: 0 },
        [2],
      ],
      ["of no value", { scan: scanOf({ keys: [byValues(city)] }), group: [null] }, [2, 3]],
      ["of a hostile value", { scan: scanOf({ keys: [byValues(city)] }), group: ["' OR true --"] }, []],
      ["of another type", { scan: scanOf({ keys: [byValues(city)] }), group: [3] }, []],
      ["of a number", { scan: scanOf({ keys: [byValues(price)] }), group: [2.5] }, [1]],
      ["of a boolean", { scan: scanOf({ keys: [byValues(gift)] }), group: [false] }, [1]],
      ["of an element", { scan: scanOf({ keys: [byValues(tags)] }), group: ["b"] }, [1, 2]],
      [
        "of members",
        { scan: scanOf({ keys: [byValues(itemName), byValues(itemCount)] }), group: ["cap", null] },
        [1],
      ],
      [
        "of an interval",
        { scan: scanOf({ keys: [{ kind: "intervals", of: of(price), boundaries: [5, 15] }] }), group: [2] },
        [2],
      ],
      [
        "of an event",
        {
          scan: scanOf({ keys: [{ kind: "values", of: { kind: "builtin", name: "event_name" } }] }),
          group: ["Login"],
        },
        [1, 3],
      ],
      ["of a user property", { scan: scanOf({ keys: [byValues(level)] }), group: [7] }, [2]],
      [
        "of a measure",
        { scan: scanOf({ measures: [measureOf({ kind: "count" }, equals(gift, true))] }) },
        [1],
      ],
      [
        "of a window",
        {
          scan: scanOf({
            buckets: {
              ...threeDays,
              windows: [
                [at5(0, 0), at5(1, 0)],
                [at5(0, 23), at5(1, 1)],
              ],
            },
          }),
          bucket: 1,
        },
        [1, 2],
      ],
      ["of no measure", { scan: scanOf({ measures: [] }) }, []],
      ["of no project", { scan: scanOf({ projectId: 9 }) }, []],
    ])("%s", async (_what, more, expected) => {
      expect(await usersOf(shared.store, { scan: scanOf(), group: [], ...more })).toEqual(expected);
    });

    it("come with what is known of them", async () => {
      const found = [];
      for await (const page of shared.store.users({ scan: scanOf(), group: [] }, noSignal()))
        found.push(...page);
      expect(found).toEqual([
        {
          userId: 1n,
          accountId: "ada",
          distinctId: "va",
          properties: {
            level: 3,
            paying: true,
            home: { city: "Bern" },
            "home.city": "Bern",
            born: "2026-01-05 00:00:00.000",
          },
        },
        { userId: 2n, accountId: "bob", distinctId: null, properties: { level: 7 } },
        { userId: 3n, accountId: null, distinctId: "vc", properties: {} },
      ]);
    });

    it("come with the properties that are asked for", async () => {
      const found = [];
      for await (const page of shared.store.users(
        { scan: scanOf(), group: [], properties: [level] },
        noSignal(),
      ))
        found.push(...page);
      expect(found.map((user) => ({ ...user.properties }))).toEqual([{ level: 3 }, { level: 7 }, {}]);
    });
  });

  describe("spread", () => {
    it.each<[string, Expression, Predicate, object]>([
      ["of numbers", of(price), always, { distinct: 4, range: [2.5, 40] }],
      ["of some events", of(price), equals(city, "Bern"), { distinct: 2, range: [2.5, 10] }],
      ["of no values", of(price), equals(city, "Rome"), { distinct: 0, range: undefined }],
      ["of texts", of(city), always, { distinct: 0, range: undefined }],
      [
        "of times",
        { kind: "builtin", name: "event_time" },
        always,
        { distinct: 7, range: [at5(0, 1), at5(2, 23)] },
      ],
      ["of users' numbers", of(level), always, { distinct: 2, range: [3, 7] }],
    ])("%s", async (_what, expression, where, expected) => {
      const scan = scanOf({ measures: [measureOf({ kind: "count" }, where)] });
      expect(await shared.store.spread(scan, { kind: "values", of: expression }, noSignal())).toEqual(
        expected,
      );
    });

    it("counts up to 20", async () => {
      await using store = await openLoaded();
      await store.load({
        events: Array.from({ length: 50 }, (_, n) => eventOf({ p: { [price.number]: n } })),
      });
      expect(await store.store.spread(scanOf(), byValues(price), noSignal())).toEqual({
        distinct: 20,
        range: [0, 49],
      });
    });
  });

  describe("a departed caller", () => {
    it("gets the reason of the signal", async () => {
      const gone = AbortSignal.abort(new Error("gone"));
      await expect(shared.store.scan(scanOf(), gone)).rejects.toThrow("gone");
      await expect(shared.store.spread(scanOf(), byValues(price), gone)).rejects.toThrow("gone");
      await expect(
        shared.store.users({ scan: scanOf(), group: [] }, gone)[Symbol.asyncIterator]().next(),
      ).rejects.toThrow("gone");
    });
  });
}

async function* pages<T>(...members: T[]): AsyncIterable<readonly T[]> {
  yield members;
}
