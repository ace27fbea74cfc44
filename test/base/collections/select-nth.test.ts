import { describe, expect, it } from "vitest";
import { createYield } from "../../../base/async/yield.ts";
import { selectNth } from "../../../base/collections/select-nth.ts";
import { createRandom } from "../../reference/random.ts";

const random = createRandom(11);
const orders: Readonly<Record<string, readonly number[]>> = {
  "one value": [4],
  "equal values": Array<number>(50).fill(7),
  "ascending values": Array.from({ length: 100 }, (_, index) => index),
  "descending values": Array.from({ length: 100 }, (_, index) => -index),
  "few distinct values": Array.from({ length: 200 }, () => random.int(1, 4)),
  "infinite values": [Infinity, 2, -Infinity, 1, Infinity],
  "random values": Array.from({ length: 200 }, () => random.next()),
};

describe("selectNth", () => {
  it.each(Object.entries(orders))("finds each place of %s", async (_what, given) => {
    const sorted = given.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    for (const place of sorted.keys()) {
      const values = Float64Array.from(given);
      expect(await selectNth(values, place, createYield())).toBe(sorted[place]);
      expect(Math.max(...values.subarray(0, place + 1))).toBe(sorted[place]);
      expect(values.toSorted()).toEqual(Float64Array.from(sorted));
    }
  });

  it("lets other work run between its passes", async () => {
    let yields = 0;
    const yieldToEventLoop = async () => {
      yields++;
    };
    await selectNth(Float64Array.from({ length: 1_000 }, random.next), 500, yieldToEventLoop);
    expect(yields).toBeGreaterThan(1);
  });
});
