import { expect, it } from "vitest";
import { isSame } from "../../../../cmd/serve/move/numbers.ts";

it.each<[before: number, now: number, same: boolean]>([
  [1, 1, true],
  [0.1 + 0.2, 0.3, true],
  [1e9, 1e9 + 1, false],
  [Number.NaN, Number.NaN, true],
  [Number.NaN, 0, false],
  [0, Number.NaN, false],
  [0, -0, true],
  [-1, 1, false],
])("%j and %j", (before, now, same) => {
  expect(isSame(before, now)).toBe(same);
});
