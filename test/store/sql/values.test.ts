import { expect, it } from "vitest";
import { checkRange, newKey, toStorableText } from "../../../store/sql/values.ts";

it.each([1, 5, 10])("accepts %d from 1 to 10", (value) => {
  expect(() => checkRange("limit", value, 1, 10)).not.toThrow();
});

it.each([0, 11, 1.5, Number.NaN])("refuses %d from 1 to 10", (value) => {
  expect(() => checkRange("limit", value, 1, 10)).toThrow(
    new RangeError(`limit is ${value}, not a whole number from 1 to 10`),
  );
});

it("returns keys which fit a token", () => {
  const keys = Array.from({ length: 100 }, newKey);
  expect(new Set(keys).size).toBe(100);
  for (const key of keys) expect(key.toString(36)).toMatch(/^[0-9a-z]{1,10}$/);
});

it.each([
  ["plain text", "not found", "not found"],
  ["NUL", "a\0b", "a\u{FFFD}b"],
  ["an unpaired surrogate", "a\ud800", "a\u{FFFD}"],
  ["2,001 characters", "x".repeat(2_001), "x".repeat(2_000)],
])("makes %s storable", (_name, text, expected) => {
  expect(toStorableText(text)).toBe(expected);
});
