import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Database } from "../../../../../store/events/duckdb/database.ts";
import { bindStatement, duckdbDialect } from "../../../../../store/events/duckdb/query/dialect.ts";
import { createQueries, type Query } from "../../../../../store/events/duckdb/query/query.ts";
import { relationsOf } from "../../../../../store/events/duckdb/query/relations.ts";
import { ResultRows } from "../../../../../store/events/duckdb/query/rows.ts";
import type { Scan } from "../../../../../store/events/events.ts";
import { readResult } from "../../../../../store/events/sql/result.ts";
import { compileScan } from "../../../../../store/events/sql/sql.ts";
import type { SumForm } from "../../../../../store/events/sql/sum-forms.ts";
import {
  at5,
  bucketsOf,
  byValues,
  equals,
  hourMs,
  measureOf,
  of,
  scanOf,
} from "../../../../conformance/events/scan-world.ts";
import {
  buy,
  dayMs,
  eventOf,
  login,
  noSignal,
  openStore,
  properties,
  updateOf,
  vocabulary,
} from "../../../../conformance/events/world.ts";
import { createDuckDbWorld } from "../../duckdb/duckdb-world.ts";

const { price, city, gift } = properties;
const sum = measureOf({ kind: "sum", of: of(price) });
const values = measureOf({ kind: "values", of: of(price) });
const numbers = [0.1, 0.2, -3, 1e6, 12.345678, 2, 7];

/** Three days of three cities and of none; the first city has no event on the second day. */
const events = Array.from({ length: 60 }, (_, at) => {
  const [day, place] = [at % 3, at % 4];
  return eventOf({
    t: at5(day, at % 24),
    e: at % 5 === 0 ? login.number : buy.number,
    p: {
      ...(at % 7 === 0 ? {} : { [price.number]: numbers[at % numbers.length]! }),
      ...(place === 3 || (place === 0 && day === 1)
        ? {}
        : { [city.number]: ["Bern", "Chur", "Olten"][place]! }),
    },
  });
});

describe("each stretch by itself", () => {
  const opened = new AsyncDisposableStack();
  let query: Query;
  beforeAll(async () => {
    const world = await createDuckDbWorld();
    const store = opened.use(await openStore(async () => world));
    await store.load({ projectId: 2, ...vocabulary, events });
    await store.load({ projectId: 1, events, updates: [updateOf({ i: "a", t: at5(1, 5) })] });
    await store.store[Symbol.asyncDispose]();
    const database = await Database.open(world.options);
    opened.defer(() => database.close());
    query = opened.use(
      await createQueries(database, { maxQueries: 1, maxWaiting: 0 }).open({ projectId: 1 }, noSignal()),
    );
  });
  afterAll(() => opened.disposeAsync());

  /** @param rows the number of rows that the tables are said to have */
  async function find(scan: Scan, rows: number, sumForm: SumForm) {
    const relations = { ...relationsOf(query.tables, scan.projectId), rowsAtMost: () => rows };
    const compiled = compileScan(scan, relations, duckdbDialect, { sumForm })!;
    const result = new ResultRows(await query.run(...bindStatement(compiled)));
    await using found = await readResult(
      { rows: result, compiled, schema: relations.schema },
      scan,
      noSignal(),
    );
    const { values: cells } = await found.cells();
    const width = compiled.bucketCount;
    const groups = found.groups.keys.map(([key], group): [string, unknown] => [
      String(key),
      cells.map((of, measure) => [
        found.groups.totals[measure]?.[group],
        [...of.slice(group * width, (group + 1) * width)],
      ]),
    ]);
    return { groups: Object.fromEntries(groups), isDivided: !compiled.sql.includes("GROUP BY k0, b") };
  }

  it.each<[string, Partial<Scan>, SumForm?]>([
    ["counts", {}],
    ["counts without totals", { totals: false }],
    ["counts of values and sums of decimal numbers", { measures: [sum, values] }],
    ["sums of split values", { measures: [sum, values] }, "split"],
    ["sums of any values", { measures: [values, sum] }, "wide"],
    [
      "the least and the largest",
      { measures: (["min", "max"] as const).map((kind) => measureOf({ kind, of: of(price) })) },
    ],
    [
      "quantiles",
      { measures: [0.5, 0.9].map((fraction) => measureOf({ kind: "quantile", of: of(price), fraction })) },
    ],
    [
      "counts of two events",
      { measures: [buy, login].map((event) => measureOf({ kind: "count" }, undefined, [event.number])) },
    ],
    [
      "parts of the first and the last day",
      { buckets: { ...bucketsOf(3, dayMs), startMs: at5(0, 5), endMs: at5(2, 7) } },
    ],
    ["two days of three", { buckets: bucketsOf(2, dayMs) }],
  ])("has the same numbers: %s", async (_what, more, form = "decimal") => {
    const scan = scanOf({ projectId: 2, keys: [byValues(city)], ...more });
    const { groups, isDivided } = await find(scan, 1e9, form);
    const usual = await find(scan, 10, form);
    expect([isDivided, usual.isDivided]).toEqual([true, false]);
    expect(Object.keys(groups).length).toBe(4);
    expect(groups).toEqual(usual.groups);
  });

  it.each<[string, Partial<Scan>, number?]>([
    ["the tables are small", {}, 299_999],
    ["later records may change events", { projectId: 1 }],
    [
      "a table has events of two days",
      { zone: [{ fromMs: -Infinity, offsetMs: hourMs }], buckets: bucketsOf(3, dayMs, hourMs) },
    ],
    [
      "the offset of a zone changes, so that ranges overlap",
      {
        zone: [
          { fromMs: -Infinity, offsetMs: 0 },
          { fromMs: at5(1, 1), offsetMs: -hourMs },
        ],
        buckets: bucketsOf(3, dayMs),
      },
    ],
    ["a table has events of several hours", { buckets: bucketsOf(24, hourMs) }],
    ["a measure has a condition", { measures: [measureOf({ kind: "count" }, equals(gift, true))] }],
    ["a key is no text", { keys: [byValues(price)] }],
  ])("is not used where %s", async (_when, more, rows = 1e9) => {
    expect(
      (await find(scanOf({ projectId: 2, keys: [byValues(city)], ...more }), rows, "decimal")).isDivided,
    ).toBe(false);
  });
});
