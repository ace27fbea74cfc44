import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mayHoldLongInteger, parseJson, setKey } from "../../../../services/parser/mapping/json.ts";

describe("long integers are noticed", () => {
  test.each([
    "12345678901234567890",
    '{"a":9007199254740993}',
    '{"a": -9007199254740993}',
    "[1,99999999999999999999]",
    '{"text":"1234567890123456789","a":9999999999999999}',
    "[1234567890123456.5]",
  ])("%s", (text) => {
    expect(mayHoldLongInteger(text)).toBe(true);
  });
});

describe("what is exact anyway is left to the fast way", () => {
  test.each([
    '{"a":"12345678901234567890"}',
    '{"a":1234567890123456}',
    '{"a":0.12345678901234567890}',
    '{"t":1660321091944}',
    "abc1234567890123456789",
  ])("%s", (text) => {
    expect(mayHoldLongInteger(text)).toBe(false);
  });
});

test("any integer in any place is printed as it stood", () => {
  const place = fc.tuple(
    fc.string({ maxLength: 40 }).map((text) => JSON.stringify(text)),
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
  );
  fc.assert(
    fc.property(fc.array(place), (places) => {
      const text = `[${places.map(([before, integer]) => `${before},${integer}`).join(",")}]`;
      expect(JSON.stringify(parseJson(text))).toBe(text);
    }),
  );
});

test("a long run of digits is looked at once", () => {
  expect(mayHoldLongInteger(`"${"1".repeat(5_000_000)}"`)).toBe(false);
});

test("a key __proto__ is data", () => {
  const target: Record<string, unknown> = {};
  setKey(target, "__proto__", { x: 1 });
  setKey(target, "a", 2);
  expect(Object.getPrototypeOf(target)).toBe(Object.prototype);
  expect(JSON.stringify(target)).toBe('{"__proto__":{"x":1},"a":2}');
});
