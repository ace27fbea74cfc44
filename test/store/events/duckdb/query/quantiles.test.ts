import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Database } from "../../../../../store/events/duckdb/database.ts";
import { type QuantileLimits, quantileLimits } from "../../../../../store/events/duckdb/query/quantiles.ts";
import { createQueries, type Queries } from "../../../../../store/events/duckdb/query/query.ts";
import { createScans } from "../../../../../store/events/duckdb/query/scan.ts";
import type { EventStore, GroupKey, Measure, Predicate, Scan } from "../../../../../store/events/events.ts";
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
  oneBucket,
  price,
  scanOf,
  startMs,
  tags,
  text,
  threeDays,
} from "../../../../conformance/events/scan-world.ts";
import { Batches, dayMs, eventOf, updateOf, vocabulary } from "../../../../conformance/events/world.ts";
import { createRandom } from "../../../../reference/random.ts";
import { createDuckDbWorld, smallStore } from "../duckdb-world.ts";

const cities = ["Bern", "Oslo", "Rome", "", 'it\'s "here"'];
const rare = "Nome";

/** Returns prices of similar sizes in all large groups, some equal, and few events of one group and without a city. */
function createEvents(random = createRandom(7)) {
  return Array.from({ length: 3_000 }, (_, index) => {
    const isRare = index % 300 === 0;
    const price1 = isRare ? random.next() * 1e6 : random.pick([random.next() * 100, random.int(45, 55), -0]);
    return eventOf({
      t: startMs + Math.floor(random.next() * 3 * dayMs),
      u: random.int(1, 50),
      e: random.int(1, 2),
      p: {
        ...(random.chance(0.95) && { [price.number]: price1 }),
        ...(index % 600 !== 300 && { [city.number]: isRare ? rare : random.pick(cities) }),
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
const isHuge: Predicate = { kind: "compare", operator: ">", left: of(price), right: number(1e9) };
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
  "of one bucket": { keys: [byValues(city)], buckets: oneBucket, measures: [median(0.4)] },
  "without totals": { keys: [byValues(city)], totals: false, measures: [median(0.5), count] },
  "of groups without events of the quantile": {
    keys: [byValues(city)],
    measures: [count, median(0.5, equals(city, "Bern"))],
  },
  "of nothing": { keys: [byValues(city)], measures: [median(0.5, equals(city, "Lima"))] },
  "of a number that is not a property": {
    measures: [median(), measureOf({ kind: "quantile", of: number(5), fraction: 0.5 })],
  },
};

const [begin, ...days] = threeDays.localEdges;

/** What a statement reads. */
function readBy(sql: string): string {
  if (sql.startsWith("SELECT count(*) FROM")) return "number of updatable rows";
  if (sql.includes("TABLESAMPLE")) return "sample";
  if (sql.includes("signbit")) return "values in ranges";
  if (!sql.includes("quantile_cont")) return "others";
  return sql.includes("_s = $") ? "all values of some groups" : "all values";
}

describe("quantiles", () => {
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

  const storeWith = (limits: Partial<QuantileLimits>): EventStore => {
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
    return createScans({ ...queries, open }, { ...quantileLimits, minValues: 0, ...limits }) as EventStore;
  };
  const never = { minValues: Number.POSITIVE_INFINITY };
  const plain = () => storeWith(never);

  it.each(Object.entries(scans))("are those of all values: %s", async (_what, more) => {
    const scan = scanOf(more);
    const expected = await ask(plain(), scan);
    for (const limits of [
      { maxShare: 0 },
      { maxShare: 0.3 },
      { maxShare: 1 },
      { maxShare: 1, maxCollected: 100 },
    ]) {
      expect(await ask(storeWith(limits), scan)).toEqual(expected);
    }
  });

  const sampled = "values in ranges";
  const ranges = "values in ranges";
  const several = [median(0.1), median(), median(0.95)];
  it.each<[string, Partial<Scan>, Partial<QuantileLimits>, readonly string[]]>([
    ["in ranges, and all of groups outside", {}, {}, [sampled, ranges, "all values of some groups"]],
    ["in ranges of several quantiles", { keys: [], measures: several }, {}, [sampled, ranges]],
    [
      "in ranges of one bucket without totals",
      { keys: [], buckets: oneBucket, totals: false },
      {},
      [sampled, ranges],
    ],
    ["in ranges at both ends", { keys: [], measures: [median(0), median(1)] }, {}, [sampled, ranges]],
    ["in ranges beside others", { keys: [], measures: [count, median()] }, {}, [sampled, ranges, "others"]],
    ["of a sample first", { keys: [] }, { sampleRows: [1, 1] }, ["sample", "all values"]],
    ["all when many are in the range", {}, { maxShare: 0 }, [sampled, "all values"]],
    [
      "all when many are in one of several ranges",
      { measures: several },
      { maxShare: 0.1 },
      [sampled, "all values"],
    ],
    ["all when more are in the range than are read", {}, { maxCollected: 6 }, [sampled, "all values"]],
    ["all with many cells", {}, { maxCells: 20 }, [sampled, "all values"]],
    [
      "all with many groups and buckets",
      { keys: [byValues(city)] },
      { maxCells: 20 },
      [sampled, "all values"],
    ],
    [
      "all of few values",
      { measures: [median(0.5, equals(gift, true))] },
      { minValues: 2_000 },
      [sampled, "all values"],
    ],
    ["all of nothing", { measures: [median(0.5, isHuge)] }, {}, [sampled, "all values"]],
    [
      "all of overlapping buckets",
      {
        buckets: {
          ...threeDays,
          windows: [
            [begin!, days[1]!],
            [days[0]!, days[2]!],
          ],
        },
      },
      {},
      ["all values"],
    ],
    ["all of few rows", {}, never, ["all values"]],
    [
      "all of what is not a property",
      { measures: [measureOf({ kind: "quantile", of: number(5), fraction: 0.5 })] },
      {},
      ["all values"],
    ],
  ])("read %s", async (_what, more, limits, expected) => {
    const scan = scanOf({ keys: [byValues(city)], measures: [median()], ...more });
    const plainly = await ask(plain(), scan);
    statements.length = 0;
    expect(await ask(storeWith({ maxShare: 1, ...limits }), scan)).toEqual(plainly);
    expect(statements.map(readBy)).toEqual(["number of updatable rows", ...expected]);
  });
});
