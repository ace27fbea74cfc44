import { describe, expect, it } from "vitest";
import type { Scan } from "../../../store/events/events.ts";
import {
  ask,
  at5,
  autumn,
  bucketsOf,
  count,
  equals,
  events,
  hourMs,
  measureOf,
  of,
  type ScanWorld,
  scanOf,
  startMs,
  threeDays,
  users,
} from "./scan-world.ts";
import { dayMs, eventOf, properties } from "./world.ts";

const { price, city } = properties;

/** How time is cut, in zones and windows. */
export function testBuckets(world: ScanWorld): void {
  describe("buckets", () => {
    const cellsOf = async (scan: Partial<Scan>) => {
      const measures = [
        count,
        users,
        measureOf({ kind: "max", of: of(price) }),
        measureOf({ kind: "quantile", of: of(price), fraction: 0.5 }),
      ];
      return (await ask(world.store, scanOf({ measures, ...scan })))["[]"]!;
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

    it("contain the repeated hour of a clock change once", async () => {
      await using store = await world.open();
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
}
