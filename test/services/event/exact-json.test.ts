import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringifyDeepJson, stringifyExactJson } from "../../../services/event/exact-json.ts";
import { parseExactJson } from "../../../store/events/events.ts";

describe("exact JSON", () => {
  it.each([
    '{"a":12345678901234567890,"b":[-9007199254740993,9007199254740992]}',
    "9007199254740991",
    "-12345678901234567890123",
    '{"a":"12345678901234567890","b":1.5,"c":{"d":null}}',
    '"\\ud800"',
  ])("is the same when it is written again: %s", (text) => {
    expect(stringifyExactJson(parseExactJson(text))).toBe(text);
    expect(stringifyDeepJson(parseExactJson(text))).toBe(text);
  });

  it.each<[string, unknown]>([
    ["12345678901234567890", 12345678901234567890n],
    ["9007199254740991", 9007199254740991],
    ["0.12345678901234567890", 0.12345678901234568],
    ["12345678901234567890.5", 12345678901234567000],
    ["1e400", Number.POSITIVE_INFINITY],
    ['"12345678901234567890"', "12345678901234567890"],
  ])("reads %s", (text, value) => {
    expect(parseExactJson(text)).toEqual(value);
  });

  it("is what JSON is where all integers are small", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const written = JSON.stringify(JSON.parse(text));
        expect(stringifyExactJson(parseExactJson(text))).toBe(written);
        expect(stringifyDeepJson(parseExactJson(text))).toBe(written);
      }),
    );
  });

  it("keeps all digits of integers, wherever they stand", () => {
    fc.assert(
      fc.property(fc.nat({ max: 40 }), fc.bigInt(), (offset, integer) => {
        const [, read] = parseExactJson(`["${"x".repeat(offset)}",${integer}]`) as [string, number | bigint];
        expect(BigInt(read)).toBe(integer);
      }),
    );
  });

  it("throws what is no JSON", () => {
    expect(() => parseExactJson('{"a":12345678901234567890')).toThrow(SyntaxError);
  });
});
