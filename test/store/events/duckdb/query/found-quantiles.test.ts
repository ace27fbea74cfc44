import { describe, expect, it } from "vitest";
import { divideGroups, findQuantiles } from "../../../../../store/events/duckdb/query/found-quantiles.ts";
import type { Cell, Quantile } from "../../../../../store/events/duckdb/query/middle-values.ts";
import type { KeyValue } from "../../../../../store/events/events.ts";
import { always, of, price, scanOf, threeDays } from "../../../../conformance/events/scan-world.ts";
import { noSignal } from "../../../../conformance/events/world.ts";

const buckets = threeDays.localEdges.length - 1;

function cellOf(
  keys: readonly KeyValue[],
  bucket = 0,
  all: readonly number[] = [],
  below = 0,
  found = all,
): Cell {
  return { keys, bucket, quantiles: [{ count: all.length, below, values: Float64Array.from(found) }] };
}

describe("groups of cells", () => {
  const divide = async (cells: readonly Cell[], maxCells: number) => {
    let read = 0;
    const middle = {
      count: cells.length,
      async *cells() {
        for (const cell of cells) {
          read++;
          yield cell;
        }
      },
    };
    const groups = await divideGroups(middle, scanOf(), maxCells, noSignal());
    return { read, groups: groups?.map((one) => [...one.keys, one.cells.length]) };
  };

  it("have equal keys", async () => {
    const keys = [1, null, Number.NaN, Infinity, -Infinity, 1, Number.NaN, 2];
    const { groups } = await divide(
      keys.map((key) => cellOf([key])),
      100,
    );
    expect(groups).toEqual([
      [1, 2],
      [null, 1],
      [Number.NaN, 2],
      [Infinity, 1],
      [-Infinity, 1],
      [2, 1],
    ]);
  });

  it.each<[string, cells: number, groups: number, maxCells: number, read: number, isDivided: boolean]>([
    ["are as many as are allowed", 3, 3, 3 * buckets, 3, true],
    ["are too many with their buckets", 3, 3, 3 * buckets - 1, 3, false],
    ["have as many cells as are allowed", 5, 1, 5, 5, true],
    ["have too many cells, which are not read", 5, 1, 4, 0, false],
  ])("%s", async (_what, count, groupCount, maxCells, read, isDivided) => {
    const cells = Array.from({ length: count }, (_, index) => cellOf([index % groupCount], index));
    const divided = await divide(cells, maxCells);
    expect({ read: divided.read, isDivided: divided.groups !== undefined }).toEqual({ read, isDivided });
  });
});

describe("quantiles between bounds", () => {
  const find = async (cells: readonly Cell[], fraction: number) => {
    const measure: Quantile = {
      events: undefined,
      where: always,
      aggregate: { kind: "quantile", of: of(price), fraction },
    };
    const scan = { ...scanOf(), measures: [measure] };
    const found = await findQuantiles([{ keys: [], cells }], scan, noSignal());
    await using result = await found.result(scan);
    const { values } = await result.cells();
    return { missing: found.missing, cells: [...values[0]!], total: result.groups.totals[0]![0] };
  };

  const all = [10, 20, 30, 40, 50, 60, 70];
  // Of seven values, two are below the bounds and three are found; the fraction is a sixth for each place.
  const some = [50, 30, 40];
  it.each<[string, place: number, number | undefined]>([
    ["before the first that is found", 1, undefined],
    ["just before the first that is found", 1.5, undefined],
    ["at the first that is found", 2, 30],
    ["between two that are found", 2.25, 32.5],
    ["at the last that is found", 4, 50],
    ["just after the last that is found", 4.5, undefined],
    ["at the next one", 5, undefined],
    ["at the end", 6, undefined],
    ["at the start", 0, undefined],
  ])("%s", async (_what, place, expected) => {
    const { missing, cells, total } = await find([cellOf([], 1, all, 2, some)], place / 6);
    const value = expected ?? Number.NaN;
    expect(missing).toEqual(expected === undefined ? [0] : []);
    expect(cells).toEqual([Number.NaN, value, Number.NaN]);
    expect(total).toBe(value);
  });

  it("have a total over all buckets", async () => {
    const cells = [cellOf([], 0, [1, 2, 3]), cellOf([], 2, [4, 5])];
    expect(await find(cells, 0.5)).toEqual({ missing: [], cells: [2, Number.NaN, 4.5], total: 3 });
  });

  it("are missing where one bucket has its own outside", async () => {
    const cells = [cellOf([], 0, [1, 2, 3], 3, []), cellOf([], 1, [4, 5, 5, 5, 9], 0, [4, 5, 5, 5])];
    expect(await find(cells, 0.5)).toMatchObject({ missing: [0], total: 4.5 });
  });
});
