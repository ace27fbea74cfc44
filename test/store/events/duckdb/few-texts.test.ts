import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Database } from "../../../../store/events/duckdb/database.ts";
import { createFewTexts } from "../../../../store/events/duckdb/few-texts.ts";
import { loadBatch } from "../../../../store/events/duckdb/load/load.ts";
import { createQueries, type Queries } from "../../../../store/events/duckdb/query/query.ts";
import { createScans } from "../../../../store/events/duckdb/query/scan.ts";
import { createWriter } from "../../../../store/events/duckdb/writer.ts";
import type { EventStore, Predicate, Property, UserScan } from "../../../../store/events/events.ts";
import {
  byValues,
  equals,
  measureOf,
  not,
  scanOf,
  startMs,
  totals,
  usersOf,
} from "../../../conformance/events/scan-world.ts";
import {
  Batches,
  eventOf,
  properties,
  type Rows,
  userOf,
  vocabulary,
} from "../../../conformance/events/world.ts";
import { createDuckDbWorld, smallStore } from "./duckdb-world.ts";

const { city, zip, itemName, nick, homeCity, price } = properties;
const many = 6_000;
const textOf = (at: number) => `text ${at * 7_919}`;

/** Two cities and none, a zip code of its own for each event, and two nicks of users. */
const rows: Rows = {
  ...vocabulary,
  events: Array.from({ length: many }, (_, at) => {
    const place = [{ [city.number]: "Bern" }, { [city.number]: "Zürich" }, {}][at % 3];
    return eventOf({ t: startMs + at, u: (at % 10) + 1, p: { ...place, [zip.number]: textOf(at) } });
  }),
  users: Array.from({ length: 10 }, (_, at) =>
    userOf("set", { u: at + 1, p: { [nick.number]: `nick${at % 2}` } }),
  ),
};

async function openDatabase(stack: AsyncDisposableStack) {
  const world = stack.use(await createDuckDbWorld());
  const batches = new Batches(world.folder);
  const database = await Database.open(world.options);
  stack.defer(() => database.close());
  const writer = createWriter(database);
  const load = async (given: Rows) => loadBatch(writer, await batches.next(given), database.scratchFolder);
  return { load, queries: createQueries(database, smallStore) };
}

/** Returns a store that has not read any properties yet, and the statements that it runs. */
function storeOf(queries: Queries) {
  const [statements, fewTexts]: [string[], ReturnType<typeof createFewTexts>] = [[], createFewTexts()];
  const open: Queries["open"] = async (...given) => {
    const query = await queries.open(...given);
    const run: typeof query.run = (sql, ...values) => {
      statements.push(sql);
      return query.run(sql, ...values);
    };
    return { ...query, fewTexts, run, [Symbol.asyncDispose]: () => query[Symbol.asyncDispose]() };
  };
  return { statements, store: createScans({ ...queries, open }) as EventStore };
}

const countOf = (where: Predicate) => ({ measures: [measureOf({ kind: "count" }, where)] });

/** Reports for two queries of a property whether they compare the texts of all rows. */
async function areByRow({ statements, store }: ReturnType<typeof storeOf>, property: Property) {
  statements.length = 0;
  for (let query = 0; query < 2; query++) await totals(store, countOf(equals(property, "Bern", "Oslo")));
  const compared = statements.filter((sql) => sql.includes("count(*)"));
  return compared.map((sql) => !sql.includes("list_contains"));
}

describe("few texts", () => {
  const stack = new AsyncDisposableStack();
  let queries: Queries;
  beforeAll(async () => {
    const opened = await openDatabase(stack);
    await opened.load(rows);
    queries = opened.queries;
  });
  afterAll(() => stack.disposeAsync());

  it.each<[string, Property, boolean]>([
    ["few texts of events", city, false],
    ["a text for each event", zip, true],
    ["few texts of users", nick, false],
    ["texts that no user has", homeCity, true],
    ["texts of objects in a list", itemName, true],
    ["numbers", price, true],
  ])("are compared by row at first, and then: %s", async (_what, property, expected) => {
    expect(await areByRow(storeOf(queries), property)).toEqual([true, expected]);
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

  it("list the same users in both ways", async () => {
    const { store } = storeOf(queries);
    const inBern = { scan: scanOf({ keys: [byValues(city)] }), group: ["Bern"], properties: [] };
    const scan: UserScan = { ...inBern, limit: 100 };
    const all = Array.from({ length: 10 }, (_, at) => at + 1);
    expect([await usersOf(store, scan), await usersOf(store, scan)]).toEqual([all, all]);
  });

  it("are read again when there are twice as many events", async () => {
    const opened = await openDatabase(stack);
    const load = (texts: readonly string[]) =>
      opened.load({ ...vocabulary, events: texts.map((text) => eventOf({ p: { [city.number]: text } })) });
    await load(["Bern", "Oslo"]);
    const store = storeOf(opened.queries);
    expect(await areByRow(store, city)).toEqual([true, false]);
    await load(Array.from({ length: many }, (_, at) => textOf(at)));
    expect(await areByRow(store, city)).toEqual([true, true]);
  });
});
