import { describe, expect, it } from "vitest";
import type { Expression, Predicate } from "../../../store/events/events.ts";
import { always, at5, byValues, equals, measureOf, of, type ScanWorld, scanOf } from "./scan-world.ts";
import { eventOf, noSignal, properties } from "./world.ts";

const { price, city, itemCount, level, tags } = properties;

/** Summaries of numbers, and callers who have left. */
export function testSummary(world: ScanWorld): void {
  describe("summary", () => {
    it.each<[string, Expression, Predicate, object]>([
      ["of numbers", of(price), always, { distinct: 4, range: [2.5, 40] }],
      ["of some events", of(price), equals(city, "Bern"), { distinct: 2, range: [2.5, 10] }],
      ["of no values", of(price), equals(city, "Rome"), { distinct: 0, range: undefined }],
      ["of texts", of(city), always, { distinct: 0, range: undefined }],
      [
        "of times",
        { kind: "builtin", name: "event_time" },
        always,
        { distinct: 7, range: [at5(0, 1), at5(2, 23)] },
      ],
      ["of a member's numbers", of(itemCount), always, { distinct: 1, range: [2, 2] }],
      ["of lists of texts", of(tags), always, { distinct: 0, range: undefined }],
      ["of users' numbers", of(level), always, { distinct: 2, range: [3, 7] }],
    ])("%s", async (_what, expression, where, expected) => {
      const scan = scanOf({ measures: [measureOf({ kind: "count" }, where)] });
      expect(await world.store.summarize(scan, { kind: "values", of: expression }, noSignal())).toEqual(
        expected,
      );
    });

    it("counts up to 20", async () => {
      await using store = await world.open();
      await store.load({
        events: Array.from({ length: 50 }, (_, n) => eventOf({ p: { [price.number]: n } })),
      });
      expect(await store.store.summarize(scanOf(), byValues(price), noSignal())).toEqual({
        distinct: 20,
        range: [0, 49],
      });
    });
  });

  describe("a departed caller", () => {
    it("gets the reason of the signal", async () => {
      const gone = AbortSignal.abort(new Error("gone"));
      await expect(world.store.scan(scanOf(), gone)).rejects.toThrow("gone");
      await expect(world.store.summarize(scanOf(), byValues(price), gone)).rejects.toThrow("gone");
      await expect(
        world.store.users({ scan: scanOf(), group: [] }, gone)[Symbol.asyncIterator]().next(),
      ).rejects.toThrow("gone");
    });
  });
}
