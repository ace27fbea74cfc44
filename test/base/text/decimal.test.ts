import { describe, expect, it } from "vitest";
import { isDecimal, parseDecimal } from "../../../base/text/decimal.ts";

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

describe("parseDecimal", () => {
  it.each([
    ["9.50", 9.5],
    ["7", 7],
    [" 7", undefined],
    ["7 ", undefined],
    ["7\n", undefined],
    ["\u00a07", undefined],
    ["-0", 0],
    [".5", 0.5],
    ["5.", 5],
    ["1e3", 1000],
    ["1e400", undefined],
    ["NaN", undefined],
    ["Infinity", undefined],
    ["0x10", undefined],
    ["1,000", undefined],
    ["", undefined],
    ["９", undefined],
    ["1.2.3", undefined],
  ])("reads %j as %j", (text, value) => {
    expect(parseDecimal(text)).toBe(value);
  });

  it("reads long digits before a letter in one pass", () => {
    expect(parseDecimal(`${"1".repeat(1_000_000)}x`)).toBeUndefined();
  });
});
