import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  BigNumber,
  mayHoldLongInteger,
  parseExactJson,
  parseWithBigInts,
} from "../../../base/json/exact-numbers.ts";

const read = (text: string): unknown => parseExactJson(text);
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

test("a long run of digits is looked at once", () => {
  expect(mayHoldLongInteger(`"${"1".repeat(5_000_000)}"`)).toBe(false);
});

describe("bigints", () => {
  test.each<[string, unknown]>([
    ["12345678901234567890", 12345678901234567890n],
    ["9007199254740991", 9007199254740991],
    ["0.12345678901234567890", 0.12345678901234568],
    ["12345678901234567890.5", 12345678901234567000],
    ["1e400", Number.POSITIVE_INFINITY],
    ['"12345678901234567890"', "12345678901234567890"],
  ])("reads %s", (text, value) => {
    expect(parseWithBigInts(text)).toEqual(value);
  });

  test("keeps all digits of integers, wherever they stand", () => {
    fc.assert(
      fc.property(fc.nat({ max: 40 }), fc.bigInt(), (offset, integer) => {
        const [, read] = parseWithBigInts(`["${"x".repeat(offset)}",${integer}]`) as [
          string,
          number | bigint,
        ];
        expect(BigInt(read)).toBe(integer);
      }),
    );
  });

  test("throws what is no JSON", () => {
    expect(() => parseWithBigInts('{"a":12345678901234567890')).toThrow(SyntaxError);
  });
});
