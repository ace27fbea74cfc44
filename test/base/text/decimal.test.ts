import { expect, it } from "vitest";
import { isDecimal } from "../../../base/text/decimal.ts";

it.each([
  ["0", true],
  ["-1.50", true],
  ["+7", true],
  [".5", true],
  ["5.", true],
  ["1e3", true],
  ["1E-3", true],
  ["", false],
  [".", false],
  [" 1", false],
  ["1.2.3", false],
  ["1e", false],
  ["0x10", false],
  ["NaN", false],
  ["９", false],
  // Long enough to end in a timeout if each digit began a search of its own.
  [`${"1".repeat(1_000_000)}x`, false],
  [`1.${"1".repeat(1_000_000)}x`, false],
])("%.20s is a decimal number: %s", (text, isOne) => {
  expect(isDecimal(text)).toBe(isOne);
});
