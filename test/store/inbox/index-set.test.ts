import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeIndexes, encodeIndexes } from "../../../store/inbox/index-set.ts";

it.each([
  [[], ""],
  [[0], "0"],
  [[0, 1, 2], "0-2"],
  [[0, 2, 3, 9], "0,2-3,9"],
  [Array.from({ length: 500 }, (_, i) => i), "0-499"],
])("writes ranges", (indexes, text) => {
  expect(encodeIndexes(indexes)).toBe(text);
});

it("decodes every encoded set of indexes", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(600)), (some) => {
      const indexes = some.toSorted((a, b) => a - b);
      expect(decodeIndexes(encodeIndexes(indexes))).toEqual(indexes);
    }),
  );
});
