import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Buckets, PreparedEvent, Scan } from "../../../store/events/events.ts";
import { casesOf } from "../../thorough.ts";
import {
  always,
  ask,
  at5,
  byValues,
  measureOf,
  of,
  oneBucket,
  scanOf,
  startMs,
  threeDays,
} from "./scan-world.ts";
import { buy, type CreateEventsWorld, dayMs, eventOf, openStore, properties, vocabulary } from "./world.ts";

const { price, city } = properties;
const sum = measureOf({ kind: "sum", of: of(price) });
const values = measureOf({ kind: "values", of: of(price) });

/** Each bucket is the whole range. */
const wholeWindows: Buckets = {
  ...threeDays,
  windows: Array.from({ length: 3 }, () => [startMs, startMs + 3 * dayMs] as const),
};

const eventsOf = (numbers: readonly number[], dayOf: (at: number) => number): PreparedEvent[] =>
  numbers.map((number, at) =>
    eventOf({ t: at5(dayOf(at), at % 24), p: { [price.number]: number, [city.number]: "Bern" } }),
  );

const anyNumber = fc.oneof(
  fc.integer({ min: -99_999, max: 99_999 }).map((cents) => cents / 100),
  fc.integer({ min: -999_999_999, max: 999_999_999 }).map((millionths) => millionths / 1e6),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.integer({ min: -1_000_000_000_000, max: 1_000_000_000_000 }),
  fc.double({ min: -1e-6, max: 1e-6, noNaN: true }),
);
const largeNumber = fc.oneof(
  fc.double({ min: -9e15, max: 9e15, noNaN: true }),
  fc.constantFrom(1e300, -1e300, 1e16, -1e22, 2 ** 53, 1e10, -1e10),
);

/** Sums of doubles: one set of events has one sum. */
export function testSums(create: CreateEventsWorld): void {
  describe("sums", () => {
    it.each<[string, number[], number]>([
      ["of tenths", [0.1, 0.2], 0.3],
      ["of thousandths", [1.001, 2.004, 1.001, 2.004], 6.01],
      ["of many cents", Array.from({ length: 3_000 }, () => 0.01), 30],
      ["of what is no decimal number", [1 / 3, 1 / 3, 1 / 3, -1 / 3], 2 / 3],
      ["that cancel out", [1e15, 0.1, -1e15], 0.1],
      ["of numbers just below the limit of millionths", [9_999_999_999, 9_999_999_999.5], 19_999_999_998.5],
      ["of the largest whole numbers", [2 ** 53 - 1, 1, -(2 ** 53 - 1)], 1],
      ["of milliseconds", [1_769_904_000_123, 1_769_904_000_124], 3_539_808_000_247],
      ["of one number below the millionths", [5.5e-9], 5.5e-9],
      ["of zeros with either sign", [-0, 0, -0], 0],
    ])("%s are as in writing", async (_what, numbers, expected) => {
      await using store = await openStore(create);
      await store.load({ events: eventsOf(numbers, (at) => at % 3) });
      const found = await ask(store.store, scanOf({ measures: [sum], buckets: wholeWindows }));
      expect(found).toEqual({ "[]": { totals: [expected], cells: [[expected, expected, expected]] } });
    });

    it.each([
      ["numbers of usual size", anyNumber],
      ["numbers of any size", fc.oneof(anyNumber, largeNumber)],
    ])("of %s do not depend on order, days, batches and compaction", async (_what, arbitrary) => {
      await using opened = await openStore(create);
      const { store } = opened;
      let projectId = 1;
      const load = async (...batches: readonly PreparedEvent[][]) => {
        projectId++;
        await opened.load({ projectId, ...vocabulary, events: batches[0]! });
        for (const events of batches.slice(1)) await opened.load({ projectId, events });
      };
      const sumOf = async (more: Partial<Scan> = {}) =>
        await ask(store, scanOf({ projectId, measures: [sum, values], buckets: oneBucket, ...more }));
      const shuffled = fc
        .array(arbitrary, { minLength: 2, maxLength: 60 })
        .chain((numbers) =>
          fc.tuple(fc.constant(numbers), fc.shuffledSubarray(numbers, { minLength: numbers.length })),
        );
      await fc.assert(
        fc.asyncProperty(shuffled, fc.nat(), async ([numbers, again], cut) => {
          await load(eventsOf(numbers, () => 0));
          const first = await sumOf();
          const at = 1 + (cut % (again.length - 1));
          const events = eventsOf(again, (place) => (place * 7 + cut) % 3);
          await load(events.slice(0, at), events.slice(at));
          expect(await sumOf()).toEqual(first);
          expect(await sumOf({ keys: [byValues(city)] })).toEqual({ '["Bern"]': first["[]"] });
          const { totals, cells } = (await sumOf({ buckets: wholeWindows }))["[]"]!;
          expect(totals).toEqual(first["[]"]!.totals);
          expect(cells[0]).toEqual(Array.from({ length: 3 }, () => totals[0]));
          expect((await sumOf({ buckets: threeDays }))["[]"]!.totals).toEqual(totals);
          await store.compact({
            nowMs: startMs + 5 * dayMs,
            keepDays: new Map(),
            signal: new AbortController().signal,
          });
          expect(await sumOf()).toEqual(first);
        }),
        { numRuns: casesOf(6) },
      );
    });

    it("take only what their conditions take, next to numbers too large for millionths", async () => {
      await using opened = await openStore(create);
      const numbers = [0.1, 0.2, 1e12];
      await opened.load({ events: eventsOf(numbers, () => 0) });
      const where = {
        kind: "compare",
        operator: "<",
        left: of(price),
        right: { kind: "number", value: 1 },
      } as const;
      const measures = [
        measureOf({ kind: "sum", of: of(price) }, where),
        measureOf(sum.aggregate, always, [buy.number]),
      ];
      const found = await ask(opened.store, scanOf({ measures, buckets: oneBucket }));
      expect(found["[]"]!.totals).toEqual([0.3, 1_000_000_000_000.3]);
    });

    it("are computed for queries at once which all meet the first such number", async () => {
      await using opened = await openStore(create);
      await opened.load({ events: eventsOf([0.1, 0.2, 1e12], () => 0) });
      const scan = scanOf({ measures: [sum], buckets: oneBucket });
      const found = await Promise.all(Array.from({ length: 6 }, () => ask(opened.store, scan)));
      expect(found.map((one) => one["[]"]!.totals)).toEqual(Array(6).fill([1_000_000_000_000.3]));
    });
  });
}
