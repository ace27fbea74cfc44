import fc from "fast-check";
import { expect, it } from "vitest";
import { orderGroups } from "../../../../services/analysis/shape/order-groups.ts";

const textOf = (group: number) => `"${String(group % 100).padStart(3, "0")} ${group}"`;

it("orders as a plain sort does, as far as is asked for, and loses nothing", async () => {
  const ranks = fc.array(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constant(Number.NaN)), {
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(ranks, fc.nat({ max: 70 }), async (values, limit) => {
      const groups = values.map((_, i) => values.length - i);
      const rankOf = (group: number) => values[groups.indexOf(group)]!;
      const plain = [...groups].sort((a, b) => {
        const [left, right] = [a, b].map((group) =>
          Number.isNaN(rankOf(group)) ? Number.NEGATIVE_INFINITY : rankOf(group),
        );
        return right! - left! || (textOf(a) < textOf(b) ? -1 : 1);
      });
      const ordered = await orderGroups(groups, Float64Array.from(values), {
        limit,
        compare: (a, b) => (textOf(a) < textOf(b) ? -1 : 1),
        yieldToEventLoop: async () => {},
      });
      expect(ordered.slice(0, limit)).toEqual(plain.slice(0, limit));
      expect([...ordered].sort()).toEqual([...groups].sort());
    }),
  );
});
