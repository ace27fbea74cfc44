import fc from "fast-check";
import { expect, test } from "vitest";
import { readNumber } from "../../../../services/parser/mapping/number.ts";

test.each([
  ["12", 12],
  ["1.5", 1.5],
  ["-3e2", -300],
  ["+4", 4],
  ["007", 7],
  [".5", 0.5],
  ["5.", 5],
  [" 1 ", 1],
  ["1E-3", 0.001],
  ["9007199254740991", 9007199254740991],
  ["0.1234567890123456789", 0.12345678901234568],
])("%j is %d", (text, value) => {
  expect(readNumber(text)).toBe(value);
});

test.each([
  ["9007199254740993", "9007199254740993"],
  ["-12345678901234567890", "-12345678901234567890"],
  ["+0012345678901234567890", "12345678901234567890"],
])("%s keeps its digits", (text, digits) => {
  expect(JSON.stringify(readNumber(text))).toBe(digits);
});

test.each([
  "",
  " ",
  "-",
  "+",
  ".",
  "1.2.3",
  "1e",
  "1e+",
  "e5",
  "0x10",
  "1_000",
  "1,5",
  "NaN",
  "Infinity",
  "1e400",
  "--1",
  "1 2",
  "١",
])("%j is no number", (text) => {
  expect(readNumber(text)).toBeUndefined();
});

test("what is printed is read back", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Number(JSON.stringify(readNumber(String(value))))).toBe(value + 0);
    }),
  );
});
