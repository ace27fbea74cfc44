import fc from "fast-check";
import { expect, it } from "vitest";
import { sortNumbersYielding, sortYielding } from "../../../../services/analysis/shape/sort-yielding.ts";

it("sorts as Array.sort does, and keeps the order of equals", async () => {
  const byTens = (a: number, b: number) => Math.floor(a / 10) - Math.floor(b / 10);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(50_000), { maxLength: 20_000, size: "max" }), async (items) => {
      expect(await sortYielding(items, byTens, async () => undefined)).toEqual(items.toSorted(byTens));
    }),
    { numRuns: 20 },
  );
});

it("sorts numbers as typed arrays do", async () => {
  const number = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.double(), fc.constant(Number.NaN));
  const some = fc.array(number, { maxLength: 60_000, size: "max" });
  await fc.assert(
    fc.asyncProperty(some, async (numbers) => {
      const sorted = Float64Array.from(numbers, (value) => (value === 0 ? 0 : value));
      const expected = sorted.toSorted();
      await sortNumbersYielding(sorted, async () => undefined);
      expect(sorted).toEqual(expected);
    }),
    { numRuns: 10 },
  );
});

it("yields between runs", async () => {
  let yields = 0;
  const items = Array.from({ length: 10_000 }, (_, i) => -i);
  await sortYielding(
    items,
    (a, b) => a - b,
    async () => void yields++,
  );
  expect(yields).toBeGreaterThan(10);
});
