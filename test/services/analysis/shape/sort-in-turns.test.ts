import fc from "fast-check";
import { expect, it } from "vitest";
import { sortInTurns } from "../../../../services/analysis/shape/sort-in-turns.ts";

it("sorts as Array.sort does, and keeps the order of equals", async () => {
  const byTens = (a: number, b: number) => Math.floor(a / 10) - Math.floor(b / 10);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(50_000), { maxLength: 20_000, size: "max" }), async (items) => {
      expect(await sortInTurns(items, byTens, async () => undefined)).toEqual(items.toSorted(byTens));
    }),
    { numRuns: 20 },
  );
});

it("breathes between runs", async () => {
  let breaths = 0;
  const items = Array.from({ length: 10_000 }, (_, i) => -i);
  await sortInTurns(
    items,
    (a, b) => a - b,
    async () => void breaths++,
  );
  expect(breaths).toBeGreaterThan(10);
});
