import { BIGINT, DuckDBInstance, LIST, listValue } from "@duckdb/node-api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { duckdbDialect } from "../../../../store/events/duckdb/query/dialect.ts";
import type { Buckets, ZoneStep } from "../../../../store/events/events.ts";
import {
  compileBucket,
  divideBuckets,
  hasGaps,
  type Stretches,
} from "../../../../store/events/sql/buckets.ts";

const connection = await (await DuckDBInstance.create(":memory:")).connect();
const hourMs = 3_600_000;

/** Evaluates the SQL text for instants. */
async function evaluate(text: string, instants: readonly number[]): Promise<(number | null)[]> {
  const result = await connection.run(
    `SELECT ${text} AS bucket FROM (SELECT unnest($1) AS t)`,
    [listValue(instants.map(BigInt))],
    [LIST(BIGINT)],
  );
  const [column] = await result.getColumns();
  return column as (number | null)[];
}

/** Computes the buckets with plain loops. */
function expected(
  instant: number,
  { edges, count, windows }: Stretches,
  zone: readonly ZoneStep[],
): number | null {
  const step = zone.findLast(({ fromMs }) => fromMs <= instant)!;
  const local = instant + step.offsetMs;
  const stretch = Array.from({ length: count }, (_, at) => at).find(
    (at) => edges[at]! <= local && local < edges[at + 1]!,
  );
  const isCovered =
    windows?.some(([from, to]) => stretch !== undefined && from <= stretch && stretch < to) ?? true;
  return stretch === undefined || !isCovered ? null : stretch;
}

const quarter = fc.integer({ min: -400, max: 400 }).map((n) => (n * hourMs) / 4);
const offset = fc.integer({ min: -48, max: 56 }).map((n) => (n * hourMs) / 4);
const zones = fc
  .tuple(offset, fc.uniqueArray(fc.tuple(quarter, offset), { maxLength: 3, selector: ([at]) => at }))
  .map(([first, later]): ZoneStep[] => [
    { fromMs: Number.NEGATIVE_INFINITY, offsetMs: first },
    ...later.sort(([a], [b]) => a - b).map(([fromMs, offsetMs]) => ({ fromMs, offsetMs })),
  ]);
const evenEdges = fc
  .tuple(
    quarter,
    fc.constantFrom(hourMs / 60, hourMs / 4, hourMs, 24 * hourMs),
    fc.integer({ min: 1, max: 60 }),
  )
  .map(([start, width, count]) => Array.from({ length: count + 1 }, (_, at) => start + at * width));
const anyEdges = fc
  .uniqueArray(quarter, { minLength: 2, maxLength: 12 })
  .map((edges) => edges.sort((a, b) => a - b));
const windows = fc.array(
  fc.tuple(quarter, quarter).map(([a, b]): [number, number] => [Math.min(a, b), Math.max(a, b)]),
  { minLength: 1, maxLength: 4 },
);
const cuts = fc.oneof(
  fc.oneof(evenEdges, anyEdges).map((localEdges) => ({ localEdges })),
  windows.map((list) => ({ localEdges: [], windows: list })),
);
const ranges = fc
  .tuple(quarter, fc.integer({ min: 1, max: 1_000_000_000 }))
  .map(([startMs, length]) => ({ startMs, endMs: startMs + length }));

describe("compileBucket", () => {
  it("finds the stretch of each instant", async () => {
    await fc.assert(
      fc.asyncProperty(
        zones,
        cuts,
        ranges,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
        async (zone, cut, range, places) => {
          const stretches = divideBuckets({ ...range, ...cut });
          const { startMs, endMs } = range;
          const onEdges = [...stretches.edges, ...zone.slice(1).map(({ fromMs }) => fromMs)].flatMap((edge) =>
            zone.flatMap(({ offsetMs }) => [edge - offsetMs - 1, edge - offsetMs, edge]),
          );
          const inside = places.map((place) =>
            Math.min(endMs - 1, startMs + Math.floor(place * (endMs - startMs))),
          );
          const instants = [startMs, endMs - 1, ...inside, ...onEdges].filter(
            (at) => at >= startMs && at < endMs,
          );
          const text = compileBucket("t", range, { stretches, zone, dialect: duckdbDialect });
          const right = instants.map((instant) => expected(instant, stretches, zone));
          expect(await evaluate(text, instants)).toEqual(right);
          // When it says that there are none, there are none.
          expect(right.includes(null) && !hasGaps({ ...range, ...cut }, stretches, zone)).toBe(false);
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each<[string, Buckets, string]>([
    ["one day", { startMs: 0, endMs: 10, localEdges: [0, 10] }, "CAST(0 AS INTEGER)"],
    [
      "two",
      { startMs: 0, endMs: 20, localEdges: [0, 10, 20] },
      "CAST(CASE WHEN t < 10 THEN 0 ELSE 1 END AS INTEGER)",
    ],
    [
      "the rest of many",
      { startMs: 95, endMs: 100, localEdges: Array.from({ length: 11 }, (_, at) => at * 10) },
      "CAST(9 AS INTEGER)",
    ],
  ])("needs no arithmetic for %s", (_what, buckets, text) => {
    const zone = [{ fromMs: Number.NEGATIVE_INFINITY, offsetMs: 0 }];
    const options = { stretches: divideBuckets(buckets), zone, dialect: duckdbDialect };
    expect(compileBucket("t", buckets, options)).toBe(text);
  });
});
