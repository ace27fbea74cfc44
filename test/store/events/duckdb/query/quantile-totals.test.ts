import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Database } from "../../../../../store/events/duckdb/database.ts";
import type { NarrowTotals } from "../../../../../store/events/duckdb/query/quantile-totals.ts";
import { createQueries, type Queries } from "../../../../../store/events/duckdb/query/query.ts";
import { createScans } from "../../../../../store/events/duckdb/query/scan.ts";
import type { EventStore, GroupKey, Measure, Scan } from "../../../../../store/events/events.ts";
import {
  always,
  ask,
  autumn,
  bucketsOf,
  byValues,
  city,
  count,
  equals,
  gift,
  hourMs,
  measureOf,
  number,
  of,
  price,
  scanOf,
  startMs,
  tags,
  text,
} from "../../../../conformance/events/scan-world.ts";
import {
  Batches,
  dayMs,
  eventOf,
  noSignal,
  updateOf,
  vocabulary,
} from "../../../../conformance/events/world.ts";
import { createRandom } from "../../../../reference/random.ts";
import { createDuckDbWorld, smallStore } from "../duckdb-world.ts";

const cities = ["Bern", "Oslo", "Rome", "", 'it\'s "here"'];
const rare = "Nome";

/** Returns prices of similar sizes in all large groups, some equal, and few events of one group. */
function createEvents(random = createRandom(7)) {
  return Array.from({ length: 3_000 }, (_, index) => {
    const isRare = index % 600 === 0;
    const price1 = isRare ? random.next() * 1e6 : random.pick([random.next() * 100, random.int(45, 55), -0]);
    return eventOf({
      t: startMs + Math.floor(random.next() * 3 * dayMs),
      u: random.int(1, 50),
      e: random.int(1, 2),
      p: {
        ...(random.chance(0.95) && { [price.number]: price1 }),
        [city.number]: isRare ? rare : random.pick(cities),
        [gift.number]: random.chance(0.5),
        [tags.number]: random.some(["a", "b", ""], 3),
      },
    });
  });
}

const median = (fraction = 0.5, where: Measure["where"] = always, events?: readonly number[]): Measure =>
  measureOf({ kind: "quantile", of: of(price), fraction }, where, events);

const byFirst: GroupKey = {
  kind: "predicate",
  of: { kind: "compare", operator: "<", left: of(city), right: text("Oslo") },
};
const steps: GroupKey = { kind: "intervals", of: of(price), boundaries: [0, 20, 50] };

const scans: Readonly<Record<string, Partial<Scan>>> = {
  "without keys": { measures: [median()] },
  "by a text with few events of one": { keys: [byValues(city)], measures: [median()] },
  "above the median, by a text": { keys: [byValues(city)], measures: [median(0.95), median(0.6)] },
  "by two keys": { keys: [byValues(city), byValues(gift)], measures: [median(0.9)] },
  "by a condition": { keys: [byFirst], measures: [median(0.25)] },
  "by elements of a list": { keys: [byValues(tags)], measures: [median()] },
  "by intervals of the same number": { keys: [steps], measures: [median(1 / 3)] },
  "by the number": { keys: [byValues(price)], measures: [median()] },
  "with other measures, events and conditions": {
    keys: [byValues(city)],
    measures: [
      count,
      median(0.1, equals(gift, true)),
      measureOf({ kind: "sum", of: of(price) }),
      median(0, always, [1]),
      median(1, { kind: "isNull", of: of(city) }),
      measureOf({ kind: "distinct", of: of(city), as: "value" }),
    ],
  },
  "in a zone, of a part of the range": {
    keys: [byValues(city)],
    zone: autumn,
    buckets: { ...bucketsOf(20, 3 * hourMs, 2 * hourMs), startMs: startMs + hourMs },
    measures: [median()],
  },
  "of nothing": { keys: [byValues(city)], measures: [median(0.5, equals(city, "Lima"))] },
  "of a number that is not a property": {
    measures: [median(), measureOf({ kind: "quantile", of: number(5), fraction: 0.5 })],
  },
};

function collectedBy(sql: string): string {
  if (sql.includes("list_sort")) return "between";
  if (!sql.includes("quantile_cont")) return "counts";
  return sql.includes("_s = $") ? "all of some groups" : "all";
}

describe("totals of quantiles", () => {
  const stack = new AsyncDisposableStack();
  let queries: Queries;
  const statements: string[] = [];
  beforeAll(async () => {
    const world = stack.use(await createDuckDbWorld());
    const batches = new Batches(world.folder);
    await using store = await world.open();
    const updates = [updateOf({ i: "x", t: startMs, p: { [price.number]: 51.5, [city.number]: "Bern" } })];
    await store.load(await batches.next({ ...vocabulary, events: createEvents(), updates }));
    await store[Symbol.asyncDispose]();
    const database = await Database.open(world.options);
    stack.defer(() => database.close());
    queries = createQueries(database, smallStore);
  });
  afterAll(() => stack.disposeAsync());

  const storeWith = (narrowing: NarrowTotals): EventStore => {
    const open: Queries["open"] = async (...given) => {
      const query = await queries.open(...given);
      const run: typeof query.run = (sql, ...values) => {
        statements.push(sql);
        return query.run(sql, ...values);
      };
      return {
        ...query,
        tables: query.tables,
        run,
        [Symbol.asyncDispose]: () => query[Symbol.asyncDispose](),
      };
    };
    return createScans({ ...queries, open }, narrowing) as EventStore;
  };
  const plain = () => storeWith({ minValues: Number.POSITIVE_INFINITY, maxShare: 0 });

  it.each(Object.entries(scans))("are those of all values: %s", async (_what, more) => {
    const scan = scanOf(more);
    const expected = await ask(plain(), scan);
    for (const maxShare of [0, 0.3, 1]) {
      expect(await ask(storeWith({ minValues: 0, maxShare }), scan)).toEqual(expected);
    }
  });

  it.each([
    {
      what: "collects values between bounds, and all of a group outside",
      maxShare: 1,
      expected: ["all", "counts", "between", "all of some groups"],
    },
    {
      what: "collects all values when many are between the bounds",
      maxShare: 0,
      expected: ["all", "counts", "all"],
    },
  ])("$what", async ({ maxShare, expected }) => {
    statements.length = 0;
    const store = storeWith({ minValues: 0, maxShare });
    await using result = await store.scan(
      scanOf({ keys: [byValues(city)], measures: [median()] }),
      noSignal(),
    );
    expect(result.groups.keys).toHaveLength(6);
    expect(statements.map(collectedBy)).toEqual(expected);
  });
});
