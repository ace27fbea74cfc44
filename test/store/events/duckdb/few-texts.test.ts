import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dayTableName } from "../../../../store/events/duckdb/layout.ts";
import type { Queries } from "../../../../store/events/duckdb/query/query.ts";
import { removeNames } from "../../../../store/events/duckdb/upkeep/remove-names.ts";
import { dropExpired } from "../../../../store/events/duckdb/upkeep/retention.ts";
import type { EventStore, Predicate, PreparedEvent, Property } from "../../../../store/events/events.ts";
import { collectUsers } from "../../../conformance/events/collect-users.ts";
import {
  bucketsOf,
  byValues,
  equals,
  measureOf,
  not,
  oneBucket,
  scanOf,
  startMs,
  totals,
  userId,
  usersOf,
} from "../../../conformance/events/scan-world.ts";
import {
  dayMs,
  eventOf,
  noSignal,
  properties,
  type Rows,
  userOf,
  vocabulary,
} from "../../../conformance/events/world.ts";
import { openDatabase, readsOf, storeOf } from "./few-texts-store.ts";

const { city, zip, itemName, nick, homeCity, price } = properties;
const many = 6_000;
const textOf = (at: number) => `text ${at * 7_919}`;

const pen = { [itemName.number]: ["pen"], [price.number]: 1 };

/** Two cities and none, a zip code of its own for each event, and two nicks of users. */
const rows: Rows = {
  ...vocabulary,
  events: Array.from({ length: many }, (_, at) => {
    const place = [{ [city.number]: "Bern" }, { [city.number]: "Zürich" }, {}][at % 3];
    return eventOf({ t: startMs + at, u: (at % 10) + 1, p: { ...place, ...pen, [zip.number]: textOf(at) } });
  }),
  users: Array.from({ length: 10 }, (_, at) =>
    userOf("set", { u: at + 1, p: { [nick.number]: `nick${at % 2}` } }),
  ),
};

const countOf = (where: Predicate) => ({ measures: [measureOf({ kind: "count" }, where)] });

/** Reports for two queries of a property whether they compare the texts of all rows. */
async function areByRow(
  { statements, store }: ReturnType<typeof storeOf>,
  property: Property,
  values: readonly (string | number)[] = ["Bern", "Oslo"],
  buckets = oneBucket,
) {
  statements.length = 0;
  for (let query = 0; query < 2; query++)
    await totals(store, { ...countOf(equals(property, ...values)), buckets });
  const compared = statements.filter((sql) => sql.includes("count(*)"));
  return compared.map((sql) => !sql.includes("list_contains"));
}

/** Events with these texts in a property. */
const eventsWith = (texts: readonly string[], { number } = city as Property, t = startMs): PreparedEvent[] =>
  texts.map((text) => eventOf({ t, p: { [number]: text } }));
const manyTexts = Array.from({ length: many }, (_, at) => textOf(at));

describe("few texts", () => {
  const stack = new AsyncDisposableStack();
  let queries: Queries;
  beforeAll(async () => {
    const opened = await openDatabase(stack);
    await opened.load(rows);
    queries = opened.queries;
  });
  afterAll(() => stack.disposeAsync());

  it.each<[string, Property, boolean, (readonly (string | number)[])?]>([
    ["few texts of events", city, false],
    ["as many values as statements have parameters for", city, false, ["Bern", ...manyTexts.slice(0, 49)]],
    ["more values", city, true, ["Bern", ...manyTexts.slice(0, 50)]],
    ["values of another type", city, true, [5]],
    ["a text for each event", zip, true],
    ["few texts of users", nick, false, ["nick0"]],
    ["few texts of users, of which none is in their range", nick, true, ["nick", "nick2"]],
    ["texts that no user has", homeCity, true],
  ])("are compared by row at first, and then: %s", async (_what, property, expected, values) => {
    expect(await areByRow(storeOf(queries), property, values)).toEqual([true, expected]);
  });

  it.each<[string, Property, number]>([
    ["texts of events", city, 1],
    ["texts of objects in a list", itemName, 0],
    ["numbers", price, 0],
  ])("are read once, and of single texts only: %s", async (_what, property, expected) => {
    const { statements, store } = storeOf(queries);
    for (let query = 0; query < 3; query++) await totals(store, countOf(equals(property, "Bern")));
    expect(readsOf(statements)).toHaveLength(expected);
  });

  it("are read of three properties before each query", async () => {
    const opened = await openDatabase(stack);
    const newProperties = Array.from(
      { length: 5 },
      (_, at) => ({ table: "event", number: 90 + at, name: `text${at}`, type: "text" }) as const,
    );
    const p = Object.fromEntries(newProperties.map(({ number }) => [number, "x"]));
    await opened.load({ ...vocabulary, newProperties, events: [eventOf({ t: startMs, p })] });
    const { statements, store } = storeOf(opened.queries);
    const where: Predicate = { kind: "or", of: newProperties.map((property) => equals(property, "x")) };
    const reads = [];
    for (let query = 0; query < 4; query++) {
      await totals(store, countOf(where));
      reads.push(readsOf(statements).length);
    }
    expect(reads).toEqual([0, 3, 5, 5]);
  });

  it("are not read by the query after one that could not read them", async () => {
    const { statements, store } = storeOf(queries, (sql) => {
      if (sql.includes("stats(")) throw new Error("cannot read");
    });
    const ask = () => totals(store, countOf(equals(city, "Bern")));
    await ask();
    await expect(ask()).rejects.toThrow("cannot read");
    await ask();
    expect(readsOf(statements)).toHaveLength(1);
  });

  const third = many / 3;
  const bern = equals(city, "Bern");
  it.each<[string, Predicate, Record<string, number>]>([
    ["a text", bern, { "[]": third }],
    ["a text that is not ASCII", equals(city, "Zürich"), { "[]": third }],
    ["several texts", equals(city, "Bern", "Zürich", "Oslo"), { "[]": 2 * third }],
    ["a text that no event has", equals(city, "Bernd"), {}],
    ["the empty text, which is none", equals(city, ""), {}],
    ["a value of another type", equals(city, 5), {}],
    ["another text, or none", not(bern), { "[]": 2 * third }],
    ["one of two conditions", { kind: "or", of: [bern, equals(city, "Zürich")] }, { "[]": 2 * third }],
    ["a text of users", equals(nick, "nick1"), { "[]": many / 2 }],
  ])("have the same results in both ways: %s", async (_what, where, expected) => {
    const { store } = storeOf(queries);
    expect([await totals(store, countOf(where)), await totals(store, countOf(where))]).toEqual([
      expected,
      expected,
    ]);
  });

  const inBern = scanOf({ measures: [measureOf({ kind: "count" }, bern)] });
  const listed = { scan: scanOf({ keys: [byValues(city)] }), group: ["Bern"], limit: 100, properties: [] };
  const selection = { projectId: 1, where: equals(nick, "nick1"), properties: [] };
  it.each<[string, (store: EventStore) => Promise<unknown>, unknown]>([
    ["users of a group", (store) => usersOf(store, listed), Array.from({ length: 10 }, (_, at) => at + 1)],
    [
      "selected users",
      async (store) =>
        (await collectUsers(store.selectUsers(selection, noSignal()))).map(({ userId }) => Number(userId)),
      [2, 4, 6, 8, 10],
    ],
    [
      "a summary",
      (store) => store.summarize(inBern, { kind: "values", of: userId }, noSignal()),
      { distinct: 10, range: [1, 10] },
    ],
  ])("return the same in both ways, the second time from a list: %s", async (_what, ask, expected) => {
    const { statements, store } = storeOf(queries);
    for (const isList of [false, true]) {
      statements.length = 0;
      expect(await ask(store)).toEqual(expected);
      expect(statements.some((sql) => sql.includes("list_contains"))).toBe(isList);
    }
  });

  it("are read again when the size differs", async () => {
    const { load, writer, queries: opened } = await openDatabase(stack);
    const add = (day: number, ...texts: string[]) =>
      load({ events: eventsWith(texts, city, startMs + day * dayMs) });
    await load({ ...vocabulary, events: eventsWith(["Bern", "Oslo", "Bern", "Oslo"]) });
    const store = storeOf(opened);
    expect(await areByRow(store, city), "new").toEqual([true, false]);
    await add(0, "Bern");
    expect(await areByRow(store, city), "about the same size").toEqual([false, false]);
    await add(0, "Bern", "Oslo");
    expect(await areByRow(store, city), "past a power of two").toEqual([true, false]);
    await add(1, "Bern");
    expect(await areByRow(store, city), "another day").toEqual([true, false]);
    await dropExpired(writer, startMs / dayMs + 1, new Map([[1, 0]]), noSignal());
    await add(2, ...manyTexts.slice(0, 7));
    expect(await areByRow(store, city), "as many days and events, but other days").toEqual([true, false]);
    await add(2, ...manyTexts);
    expect(await areByRow(store, city), "many texts in the largest day").toEqual([true, true]);
  });

  const removed = { table: "event", number: 90, name: "removed", type: "text" } as const;
  const removal = { projectId: 1, events: [], properties: [removed] };

  it("are not read of a removed property whose number has another type now", async () => {
    const opened = await openDatabase(stack);
    const newProperties = [...vocabulary.newProperties, removed];
    await opened.load({ ...vocabulary, newProperties, events: eventsWith(["x"], removed) });
    const store = storeOf(opened.queries);
    await totals(store.store, countOf(equals(removed, "x")));
    await removeNames(opened.writer, removal);
    const amount = { ...removed, name: "amount", type: "number" } as const;
    await opened.load({ newProperties: [amount], events: [eventOf({ t: startMs, p: { 90: 5 } })] });
    expect(await areByRow(store, amount, [5])).toEqual([true, true]);
    expect(readsOf(store.statements)).toEqual([]);
  });

  it("are read of a property with the number and name of a removed one", async () => {
    const opened = await openDatabase(stack);
    const newProperties = [...vocabulary.newProperties, removed];
    await opened.load({ ...vocabulary, newProperties, events: eventsWith(manyTexts, removed) });
    const store = storeOf(opened.queries);
    expect(await areByRow(store, removed)).toEqual([true, true]);
    await removeNames(opened.writer, removal);
    const again: Property = { ...removed };
    await opened.load({ newProperties: [again], events: eventsWith(["Bern"], again) });
    expect(await areByRow(store, again)).toEqual([true, false]);
  });
});

describe("few texts of 35 days", () => {
  const stack = new AsyncDisposableStack();
  let queries: Queries;
  const allDays = bucketsOf(1, 35 * dayMs);
  const firstDays = bucketsOf(1, 10 * dayMs);
  const lastDays = bucketsOf(1, 10 * dayMs, -25 * dayMs);
  beforeAll(async () => {
    const opened = await openDatabase(stack);
    const ofDay = (day: number) => [
      ...eventsWith(day < 25 ? ["Bern", "Oslo"] : ["Bern", "Zürich"], city, startMs + day * dayMs),
      ...eventsWith(day < 10 ? ["a longer text"] : ["a longer text", "b"], zip, startMs + day * dayMs),
    ];
    await opened.load({ ...vocabulary, events: Array.from({ length: 35 }, (_, day) => ofDay(day)).flat() });
    queries = opened.queries;
  });
  afterAll(() => stack.disposeAsync());

  it.each<[string, Property, readonly string[], typeof allDays, boolean]>([
    ["on all days", city, ["Bern"], allDays, false],
    ["that may be on all days", city, ["Chur"], allDays, false],
    ["on more than half of the days", city, ["Oslo"], allDays, false],
    ["on 10 days", city, ["Zürich"], allDays, true],
    ["on all days of the query", city, ["Zürich"], lastDays, false],
    ["on 10 days, and one on all days", city, ["Zürich", "Bern"], allDays, false],
    ["before the first of each day", city, ["Aarau"], allDays, true],
    ["with more bytes than the engine's range", zip, ["a longer text"], allDays, false],
    ["after the last of each day", zip, ["c"], allDays, true],
    ["on 25 days", zip, ["b"], allDays, false],
    ["on 25 days after the query", zip, ["b"], firstDays, true],
  ])(
    "are compared by row if most days cannot have one: a text %s",
    async (_what, property, values, days, expected) => {
      expect(await areByRow(storeOf(queries), property, values, days)).toEqual([true, expected]);
    },
  );

  it("are read of 30 days, of which one is the last", async () => {
    const store = storeOf(queries);
    await areByRow(store, city);
    const [read = ""] = readsOf(store.statements);
    expect(read.match(/stats\(/g)).toHaveLength(30);
    expect(read).toContain(dayTableName(1, startMs / dayMs + 34, 0));
  });
});
