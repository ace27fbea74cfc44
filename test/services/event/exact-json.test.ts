import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseWithBigInts, stringifyExactJson } from "../../../base/json/exact-numbers.ts";
import { stringifyDeepJson } from "../../../services/event/exact-json.ts";

describe("exact JSON", () => {
  it.each([
    '{"a":12345678901234567890,"b":[-9007199254740993,9007199254740992]}',
    "9007199254740991",
    "-12345678901234567890123",
    '{"a":"12345678901234567890","b":1.5,"c":{"d":null}}',
    '"\\ud800"',
  ])("is the same when it is written again: %s", (text) => {
    expect(stringifyExactJson(parseWithBigInts(text))).toBe(text);
    expect(stringifyDeepJson(parseWithBigInts(text))).toBe(text);
  });

  it("is what JSON is where all integers are small", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const written = JSON.stringify(JSON.parse(text));
        expect(stringifyExactJson(parseWithBigInts(text))).toBe(written);
        expect(stringifyDeepJson(parseWithBigInts(text))).toBe(written);
      }),
    );
  });
});
