import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BigNumber, parseExactly } from "../../../base/json/exact-numbers.ts";

const read = (text: string): unknown => parseExactly(text, JSON.parse(text));
const big = (digits: string): BigNumber => new BigNumber(digits);

test.each<[text: string, value: unknown]>([
  ["9007199254740991", 9_007_199_254_740_991],
  ["9007199254740993", big("9007199254740993")],
  ["-9007199254740993", big("-9007199254740993")],
  [
    " [ 12345678901234567890 , 1e400,-1E400, 1e2 ] ",
    [big("12345678901234567890"), big("1e400"), big("-1E400"), 100],
  ],
  [
    '{"a\\"1234567890123456789":"9007199254740993","b":[9007199254740993]}',
    {
      'a"1234567890123456789': "9007199254740993",
      b: [big("9007199254740993")],
    },
  ],
  ['"\\\\",9'.slice(0, 4), "\\"],
  ['["\\\\",9007199254740993,"\\\\\\""]', ["\\", big("9007199254740993"), '\\"']],
  ["0.1234567890123456789", 0.123_456_789_012_345_68],
  ["[true,null,9007199254740993]", [true, null, big("9007199254740993")]],
])("%s", (text, value) => {
  expect(read(text)).toEqual(value);
});

test("a member that is called __proto__ stays one", () => {
  const value = read('{"__proto__":9007199254740993}') as object;
  expect([Object.getPrototypeOf(value) === Object.prototype, Object.entries(value)]).toEqual([
    true,
    [["__proto__", big("9007199254740993")]],
  ]);
});

test("nesting of any depth", () => {
  const depth = 100_000;
  expect(() => read(`${"[".repeat(depth)}9007199254740993${"]".repeat(depth)}`)).not.toThrow();
});

describe("other numbers and texts stay as they are", () => {
  test("in any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = `[${JSON.stringify(value)},9007199254740993]`;
        const [first] = read(text) as unknown[];
        // The generator makes doubles beyond 2^53, too.
        const plain = JSON.stringify(first, (_key, one: unknown) =>
          one instanceof BigNumber ? Number(one.digits) : one,
        );
        expect(JSON.parse(plain)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
