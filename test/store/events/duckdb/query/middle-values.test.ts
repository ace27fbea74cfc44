import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Bounds,
  type CellValues,
  type Quantile,
  readMiddleValues,
  widest,
} from "../../../../../store/events/duckdb/query/middle-values.ts";
import type { Query } from "../../../../../store/events/duckdb/query/query.ts";
import { emptySchema } from "../../../../../store/events/events.ts";
import type { Relations } from "../../../../../store/events/sql/relations.ts";
import { always, of, oneBucket, price, scanOf } from "../../../../conformance/events/scan-world.ts";
import { noSignal } from "../../../../conformance/events/world.ts";

const least = Number.MIN_VALUE;
const afterOne = 1 + Number.EPSILON;
const most = Number.MAX_VALUE;
/** In the order of the engine. */
const sorted = [-Infinity, -most, -1, -least, 0, least, 1, afterOne, most, Infinity, Number.NaN];

const textOf = (value: number) => `'${Number.isNaN(value) ? "nan" : value}'::DOUBLE`;
const relationOf = (values: readonly number[]): Relations => ({
  schema: emptySchema,
  rowsAtMost: () => values.length,
  events: () => `(SELECT unnest([${values.map(textOf).join(", ")}, NULL]) AS p, 0 AS bucket)`,
  users: () => "",
  cohort: () => "",
  column: () => "p",
});

describe("values in a range", () => {
  const stack = new AsyncDisposableStack();
  let query: Query;
  beforeAll(async () => {
    const instance = await DuckDBInstance.create(":memory:");
    stack.defer(() => instance.closeSync());
    const connection = await instance.connect();
    stack.defer(() => connection.closeSync());
    query = { run: (sql, values, types) => connection.run(sql, values?.slice(), types?.slice()) } as Query;
  });
  afterAll(() => stack.disposeAsync());

  async function read(values: readonly number[], range: Bounds, maxValues = 100): Promise<CellValues> {
    const measure: Quantile = {
      events: undefined,
      where: always,
      aggregate: { kind: "quantile", of: of(price), fraction: 0.5 },
    };
    const scan = { ...scanOf({ buckets: oneBucket }), measures: [measure] };
    const wanted = { scan, relations: relationOf(values), ranges: [range], maxValues };
    const middle = await readMiddleValues(query, wanted, noSignal());
    const found: CellValues[] = [];
    for await (const cell of middle.cells()) found.push(...cell.quantiles);
    expect(found).toHaveLength(1);
    return found[0]!;
  }

  it.each<[string, Bounds, below: number, readonly number[]]>([
    ["of all finite numbers", widest, 1, sorted.slice(1, 8)],
    ["of neighbours", [1, afterOne], 6, [1]],
    ["of the next number", [afterOne, 2], 7, [afterOne]],
    ["from 0", [0, least], 4, [0]],
    ["from -0", [-0, least], 4, [0]],
    ["of the least number", [least, 1], 5, [least]],
    ["of the least number below 0", [-least, 0], 3, [-least]],
    ["without values", [2, 3], 8, []],
    ["without width", [1, 1], 6, []],
  ])("%s", async (_what, range, below, expected) => {
    const { count, values, ...found } = await read(sorted, range);
    expect({ ...found, count, values: [...values].sort((a, b) => a - b) }).toEqual({
      below,
      count: sorted.length,
      values: expected,
    });
  });

  it("are not read when there are too many", async () => {
    const values = Array.from({ length: 10 }, (_, index) => index);
    expect((await read(values, [2, 6], 4)).values).toHaveLength(4);
    expect(await read(values, [2, 6], 3)).toEqual({ count: 10, below: 2, values: new Float64Array() });
  });
});
