import fc from "fast-check";
import { expect, test } from "vitest";
import { readIntegerText } from "../../../base/text/integer-text.ts";

test.each([
  ["0", 0n],
  ["-0", 0n],
  ["007", 7n],
  ["9007199254740993", 9007199254740993n],
  ["-9223372036854775808", -9223372036854775808n],
  ["1.0", 1n],
  ["1e3", 1000n],
  ["1E+3", 1000n],
  ["-1.5e1", -15n],
  ["10e-1", 1n],
  ["9.007199254740993e15", 9007199254740993n],
  ["0.000e-5", 0n],
  ["0e999", 0n],
])("%s is %s", (text, expected) => {
  expect(readIntegerText(text)).toBe(expected);
});

test.each([
  "",
  " 1",
  "1 ",
  "+1",
  "0x1",
  "0b1",
  "1_000",
  "1,000",
  "1n",
  "1.",
  ".5",
  "1.5",
  "15e-1",
  "1e",
  "1e1.5",
  "1e999",
  "1e-999",
  "1e-1",
  "NaN",
  "Infinity",
  "\u0661",
  "1".repeat(100),
])("%j is no whole number", (text) => {
  expect(readIntegerText(text)).toBeUndefined();
});

test("every way to write a number is read as the same one", () => {
  const number = fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n });
  fc.assert(
    fc.property(number, fc.nat({ max: 12 }), (value, digits) => {
      const text = String(value);
      const shown = text.replace("-", "");
      const split = Math.max(1, shown.length - digits);
      const sign = text.slice(0, text.length - shown.length);
      const fraction = shown.slice(split).replace(/^$/, "0");
      const exponent = shown.length - split;
      const scientific = `${sign}${shown.slice(0, split)}.${fraction}e${exponent}`;
      expect(readIntegerText(text)).toBe(value);
      expect(readIntegerText(scientific)).toBe(value);
      expect(readIntegerText(`${text}.000`)).toBe(value);
    }),
  );
});
