import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson, setKey } from "../../../base/json/raw-numbers.ts";

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

test("a key __proto__ is data", () => {
  const target: Record<string, unknown> = {};
  setKey(target, "__proto__", { x: 1 });
  setKey(target, "a", 2);
  expect(Object.getPrototypeOf(target)).toBe(Object.prototype);
  expect(JSON.stringify(target)).toBe('{"__proto__":{"x":1},"a":2}');
});
