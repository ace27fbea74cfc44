import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Database } from "../../../../../store/events/duckdb/database.ts";
import { type QuantileLimits, quantileLimits } from "../../../../../store/events/duckdb/query/quantiles.ts";
import { createQueries, type Queries, type Query } from "../../../../../store/events/duckdb/query/query.ts";
import { createScans } from "../../../../../store/events/duckdb/query/scan.ts";
import {
  type EventStore,
  EventsMemoryError,
  type Predicate,
  type Scan,
} from "../../../../../store/events/events.ts";
import {
  ask,
  byValues,
  city,
  count,
  equals,
  gift,
  measureOf,
  number,
  of,
  oneBucket,
  price,
  scanOf,
  startMs,
  threeDays,
} from "../../../../conformance/events/scan-world.ts";
import { Batches, updateOf, vocabulary } from "../../../../conformance/events/world.ts";
import { createDuckDbWorld, smallStore } from "../duckdb-world.ts";
import { createEvents, createLastEvents, lastDay, median, scans } from "./quantile-world.ts";

const isHuge: Predicate = { kind: "compare", operator: ">", left: of(price), right: number(1e9) };

const [begin, ...days] = threeDays.localEdges;

/** What a statement reads. */
function readBy(sql: string): string {
  if (sql.startsWith("SELECT count(*) FROM")) return "number of updatable rows";
  if (sql.includes("TABLESAMPLE")) return "sample";
  if (sql.includes("signbit")) return "values in ranges";
  if (!sql.includes("quantile_cont")) return "others";
  // The groups are compared by rows, or as one of few texts.
  return /_s = \$|list_contains/.test(sql) ? "all values of some groups" : "all values";
}

describe("quantiles", () => {
  const stack = new AsyncDisposableStack();
  let queries: Queries;
  const statements: string[] = [];
  /** Changes what is run for a statement. */
  let replace: (sql: string, query: Query) => string | Promise<string> = (sql) => sql;
  beforeAll(async () => {
    const world = stack.use(await createDuckDbWorld());
    const batches = new Batches(world.folder);
    await using store = await world.open();
    const updates = [updateOf({ i: "x", t: startMs, p: { [price.number]: 51.5, [city.number]: "Bern" } })];
    const events = [...createEvents(), ...createLastEvents()];
    await store.load(await batches.next({ ...vocabulary, events, updates }));
    await store[Symbol.asyncDispose]();
    const database = await Database.open(world.options);
    stack.defer(() => database.close());
    queries = createQueries(database, smallStore);
  });
  afterAll(() => stack.disposeAsync());

  afterEach(() => {
    replace = (sql) => sql;
  });

  const storeWith = (limits: Partial<QuantileLimits>): EventStore => {
    const open: Queries["open"] = async (...given) => {
      const query = await queries.open(...given);
      const run: typeof query.run = async (sql, ...values) => {
        statements.push(sql);
        return await query.run(await replace(sql, query), ...values);
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
  const percentiles = Array.from({ length: 100 }, (_, index) => median(index / 100));
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
    [
      "all when the values of an empty text are outside",
      { buckets: lastDay },
      {},
      [sampled, ranges, "all values"],
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
    ["all of many quantiles", { measures: percentiles }, {}, ["all values"]],
    [
      "in ranges of as many as are allowed",
      { keys: [], measures: percentiles.slice(0, 5) },
      {},
      [sampled, ranges],
    ],
    ["all with many cells", {}, { maxCells: 20 }, [sampled, "all values"]],
    [
      "all with many groups and buckets",
      { keys: [byValues(city)] },
      { maxCells: 400 },
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

  // A sample's rows are random, so its statement reads all of them here, or 200 of each day.
  const whole = "";
  const fifth = " TABLESAMPLE RESERVOIR (200 ROWS) REPEATABLE (1)";
  it.each<[string, Partial<Scan>, Partial<QuantileLimits>, string, readonly string[]]>([
    [
      "in ranges when the sample has a part of enough values",
      { measures: [median(0.5, equals(gift, true))] },
      { sampleRows: [1_500, 1_500], minValues: 2_000 },
      whole,
      ["sample", ranges],
    ],
    [
      "all when the sample has a part of too many values in the range",
      {},
      { sampleRows: [1_500, 1_500], maxCollected: 500 },
      whole,
      ["sample", "all values"],
    ],
    [
      "all when the sample has too many values",
      {},
      { sampleRows: [300, 300] },
      whole,
      ["sample", "all values"],
    ],
    [
      "all when several quantiles have too many values in the sample",
      { measures: several },
      { sampleRows: [4_000, 4_000] },
      whole,
      ["sample", "all values"],
    ],
    [
      "all when more values are in the range than the sample shows",
      {},
      { sampleRows: [1_500, 1_500], maxCollected: 600 },
      fifth,
      ["sample", ranges, "all values"],
    ],
  ])("read %s", async (_what, more, limits, sample, expected) => {
    const scan = scanOf({ measures: [median()], ...more });
    const plainly = await ask(plain(), scan);
    statements.length = 0;
    replace = (sql) => sql.replaceAll(/ TABLESAMPLE SYSTEM \([^)]*\)/g, sample);
    expect(await ask(storeWith({ maxShare: 1, ...limits }), scan)).toEqual(plainly);
    expect(statements.map(readBy)).toEqual(["number of updatable rows", ...expected]);
  });

  it.each([
    ["sample", 1],
    ["ranges", 2],
  ])("read all when the engine has too little memory for the %s", async (_what, place) => {
    const scan = scanOf({ measures: [count, median()] });
    const plainly = await ask(plain(), scan);
    statements.length = 0;
    replace = async (sql, query) => {
      if (statements.length !== place + 1) return sql;
      // A failed statement ends the snapshot.
      await query.run("SELECT error('out of memory')").catch(() => undefined);
      throw new EventsMemoryError("out of memory");
    };
    expect(await ask(storeWith({ maxShare: 1 }), scan)).toEqual(plainly);
    const tried = Array<string>(place).fill(ranges);
    const rows = "number of updatable rows";
    expect(statements.map(readBy)).toEqual([rows, ...tried, rows, "all values"]);
  });
});
