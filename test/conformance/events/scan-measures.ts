import { describe, expect, it } from "vitest";
import type { Measure, Scan } from "../../../store/events/events.ts";
import {
  always,
  ask,
  at5,
  byValues,
  count,
  equals,
  measureOf,
  of,
  oneBucket,
  type ScanWorld,
  scanOf,
  userId,
  users,
} from "./scan-world.ts";
import { buy, dayMs, login, properties, updateOf } from "./world.ts";

const { price, city, at, gift, tags, itemCount } = properties;

/** Tests the measures of events, and of events that later records changed. */
export function testMeasures(world: ScanWorld): void {
  describe("measures", () => {
    it.each<[string, Measure, number, number[]]>([
      ["events", count, 7, [3, 2, 2]],
      ["events of some kind", measureOf({ kind: "count" }, always, [buy.number]), 5, [3, 1, 1]],
      ["users", users, 3, [2, 2, 2]],
      [
        "users of some kind",
        measureOf({ kind: "distinct", of: userId, as: "value" }, always, [login.number]),
        2,
        [0, 1, 1],
      ],
      ["values", measureOf({ kind: "values", of: of(price) }), 4, [3, 1, 0]],
      ["values of lists", measureOf({ kind: "values", of: of(tags) }), 3, [3, 0, 0]],
      ["sum", measureOf({ kind: "sum", of: of(price) }), 72.5, [52.5, 20, NaN]],
      ["sum of texts", measureOf({ kind: "sum", of: of(city) }), NaN, [NaN, NaN, NaN]],
      ["min", measureOf({ kind: "min", of: of(price) }), 2.5, [2.5, 20, NaN]],
      ["max", measureOf({ kind: "max", of: of(price) }), 40, [40, 20, NaN]],
      ["min of times", measureOf({ kind: "min", of: of(at) }), at5(0, 22), [NaN, at5(0, 22), NaN]],
      ["median", measureOf({ kind: "quantile", of: of(price), fraction: 0.5 }), 15, [10, 20, NaN]],
      [
        "quantile between",
        measureOf({ kind: "quantile", of: of(price), fraction: 0.25 }),
        8.125,
        [6.25, 20, NaN],
      ],
      ["different texts", measureOf({ kind: "distinct", of: of(city), as: "value" }), 2, [2, 1, 1]],
      [
        "different events",
        measureOf({ kind: "distinct", of: { kind: "builtin", name: "event_name" }, as: "value" }),
        2,
        [1, 2, 2],
      ],
      ["different lists", measureOf({ kind: "distinct", of: of(tags), as: "list" }), 3, [3, 0, 0]],
      ["different sets", measureOf({ kind: "distinct", of: of(tags), as: "set" }), 2, [2, 0, 0]],
      ["different elements", measureOf({ kind: "distinct", of: of(tags), as: "element" }), 2, [2, 0, 0]],
      [
        "different numbers in lists",
        measureOf({ kind: "distinct", of: of(itemCount), as: "element" }),
        1,
        [0, 0, 1],
      ],
    ])("%s", async (_what, measure, total, cells) => {
      const kept = await ask(world.store, scanOf({ measures: [measure] }));
      expect(kept).toEqual({ "[]": { totals: [total], cells: [cells] } });
      const whole = await ask(world.store, scanOf({ measures: [measure], buckets: oneBucket }));
      expect(whole).toEqual({ "[]": { totals: [total], cells: [[total]] } });
    });

    it("come together in one scan, each with its own events and conditions", async () => {
      const measures = [
        count,
        users,
        measureOf({ kind: "sum", of: of(price) }, equals(gift, true)),
        measureOf({ kind: "distinct", of: userId, as: "value" }, equals(city, "Oslo")),
        measureOf({ kind: "quantile", of: of(price), fraction: 1 }, always, [buy.number]),
        measureOf({ kind: "distinct", of: of(tags), as: "element" }),
        measureOf({ kind: "count" }, always, []),
      ];
      expect(await ask(world.store, scanOf({ measures }))).toEqual({
        "[]": {
          totals: [7, 3, 10, 2, 40, 2, 0],
          cells: [
            [3, 2, 2],
            [2, 2, 2],
            [10, NaN, NaN],
            [1, 1, 0],
            [40, 20, NaN],
            [2, 0, 0],
            [0, 0, 0],
          ],
        },
      });
    });

    it("make a group known that has events but no values", async () => {
      const measures = [measureOf({ kind: "distinct", of: of(price), as: "value" }, always, [login.number])];
      expect(await ask(world.store, scanOf({ measures, keys: [byValues(city)] }))).toEqual({
        '["Oslo"]': { totals: [0], cells: [[0, 0, 0]] },
        "[null]": { totals: [0], cells: [[0, 0, 0]] },
      });
    });

    it.each<[string, Partial<Scan>]>([
      ["of no events", { measures: [measureOf({ kind: "count" }, always, [])] }],
      ["of events that nobody reported", { measures: [measureOf({ kind: "count" }, always, [99])] }],
      [
        "where nothing holds",
        { measures: [measureOf({ kind: "sum", of: of(price) }, equals(city, "Rome"))] },
      ],
      ["of a project without events", { projectId: 8 }],
      ["without measures", { measures: [] }],
      ["of another time", { buckets: { startMs: 0, endMs: dayMs, localEdges: [0, dayMs] } }],
    ])("find no group %s", async (_what, more) => {
      expect(await ask(world.store, scanOf(more))).toEqual({});
      expect(await ask(world.store, scanOf({ keys: [byValues(city)], ...more }))).toEqual({});
    });

    it("omit totals that are not requested", async () => {
      const measures = [count, users, measureOf({ kind: "quantile", of: of(price), fraction: 0.5 })];
      const found = await ask(world.store, scanOf({ measures, totals: false }));
      expect(found["[]"]).toEqual({
        totals: [],
        cells: [
          [3, 2, 2],
          [2, 2, 2],
          [10, 20, NaN],
        ],
      });
    });
  });

  describe("events that records changed", () => {
    it("count as they are now", async () => {
      await using store = await world.open();
      await store.load({
        updates: [
          updateOf({ i: "x", t: at5(0, 5), u: 2, p: { [price.number]: 1, [city.number]: "Rome" } }),
          updateOf({ i: "x", t: at5(1, 5), u: 2, p: { [price.number]: 100 } }),
        ],
      });
      const where = equals(city, "Rome");
      const measures = [
        measureOf({ kind: "sum", of: of(price) }, where),
        measureOf({ kind: "distinct", of: userId, as: "value" }, where),
      ];
      const found = await ask(store.store, scanOf({ measures }));
      expect(found["[]"]!.totals).toEqual([100, 1]);
    });
  });
}
