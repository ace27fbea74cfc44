import fc from "fast-check";
import { expect, it } from "vitest";
import { sortYielding } from "../../../../services/analysis/shape/sort-yielding.ts";

it("sorts as Array.sort does, and keeps the order of equals", async () => {
  const byTens = (a: number, b: number) => Math.floor(a / 10) - Math.floor(b / 10);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(50_000), { maxLength: 20_000, size: "max" }), async (items) => {
      expect(await sortYielding(items, byTens, async () => undefined)).toEqual(items.toSorted(byTens));
    }),
    { numRuns: 20 },
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
