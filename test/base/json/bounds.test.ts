import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  describeJsonExcess,
  findJsonExcess,
  type JsonBounds,
  JsonBoundsScan,
  unscannedBytes,
} from "../../../base/json/bounds.ts";

const wide: JsonBounds = {
  depth: 1_000,
  members: 1_000_000,
  elements: 1_000_000,
  keys: 1_000_000,
  keyBytes: 1_000_000,
  values: 10_000_000,
  longNumbers: 1_000_000,
};
/** Makes any text long enough to be scanned. */
const room = " ".repeat(unscannedBytes);

/** Returns the description of the excess, or undefined. */
function excessOf(text: string, bounds: Partial<JsonBounds>): string | undefined {
  const excess = findJsonExcess(Buffer.from(room + text), { ...wide, ...bounds });
  return excess && describeJsonExcess({ ...excess, byte: excess.byte - unscannedBytes });
}

const objectOf = (members: number): string =>
  `{${Array.from({ length: members }, (_, i) => `"k${i}":0`).join(",")}}`;

describe.each<[bound: keyof JsonBounds, max: number, within: string, beyond: string, message: string]>([
  ["depth", 3, "[[[]],{}]", "[[[{}]]]", 'the JSON is nested deeper than 3 levels (limit "depth") at byte 3'],
  [
    "members",
    2,
    '[{"a":{"b":[1,2,3],"c":0},"d":0},{"e":0,"f":0}]',
    objectOf(3),
    'an object has more than 2 members (limit "members") at byte 16',
  ],
  [
    "elements",
    2,
    '[[1,2],{"a":1,"b":2,"c":3,"d":[]}]',
    '{"a":[1,"[,",[]]}',
    'an array has more than 2 elements (limit "elements") at byte 12',
  ],
  [
    "keys",
    3,
    '[{"a":{"b":","},"c":[":",":"]}]',
    '[{"a":{"b":0}},{"c":0,"d":0}]',
    'the objects have more than 3 members together (limit "keys") at byte 23',
  ],
  [
    "keyBytes",
    4,
    '{"\\"é" : "a long text","a:b":0}',
    '{"abcd":{"abcde"  :0}}',
    'a key is longer than 4 bytes (limit "keyBytes") at byte 10',
  ],
  [
    "values",
    4,
    '{"a":[],"b":{},"c":null}',
    '{"a":[],"b":{},"c":[0]}',
    'the JSON holds more than 4 values (limit "values") at byte 20',
  ],
  [
    "longNumbers",
    1,
    '[123456789012345,"1234567890123456",1e5,true,false]',
    "[1234567890123456,-1.5E-5]",
    'the JSON holds more than 1 numbers of 16 or more digits (limit "longNumbers") at byte 18',
  ],
])("at most %s: %i", (bound, max, within, beyond, message) => {
  test("is kept", () => {
    expect(excessOf(within, { [bound]: max })).toBeUndefined();
  });

  test("is exceeded", () => {
    expect(excessOf(beyond, { [bound]: max })).toBe(message);
  });
});

test("a text that is short is not scanned", () => {
  expect(findJsonExcess(Buffer.from(objectOf(3)), { ...wide, members: 1 })).toBeUndefined();
});

describe("counts what JSON.parse finds", () => {
  const count = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? Object.values(value).reduce<number>((sum, one) => sum + count(one), 1)
      : 1;

  test("in any JSON", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const values = count(JSON.parse(text));
        const spaced = JSON.stringify(JSON.parse(text), undefined, 1).replaceAll('":', '" :');
        expect(excessOf(`[${text}]`, { values: values + 1 })).toBeUndefined();
        expect(excessOf(`[${spaced}]`, { values: values + 1 })).toBeUndefined();
        expect(excessOf(`[${text}]`, { values })).toContain('limit "values"');
      }),
    );
  });

  test("in strings of any length with quotes and backslashes at any place", () => {
    const pieces = fc.array(fc.constantFrom('"', "\\", "x".repeat(63), "x".repeat(64), "é", "[", ","), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = JSON.stringify([parts.join(""), 1]);
        expect(excessOf(text, { elements: 2, values: 3, depth: 1 })).toBeUndefined();
        expect(excessOf(text, { elements: 1 })).toContain('limit "elements"');
      }),
    );
  });
});

test.each([
  "{",
  '"',
  '["',
  '"\\',
  "]]]]",
  ",,:",
  "::::",
  "\\\\",
  '{"a',
  "tru",
  "[[[1,2",
  "\u0000",
  '"\ud800',
])("takes %j, which is not JSON, to its end", (text) => {
  expect(excessOf(text, {})).toBeUndefined();
});

test("a text that arrives in parts has the same excess as the whole", () => {
  const parts = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 200 });
  const bounds = {
    ...wide,
    depth: 3,
    members: 4,
    elements: 4,
    keys: 8,
    keyBytes: 9,
    values: 12,
    longNumbers: 1,
  };
  const texts = fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc
      .array(fc.constantFrom('"', "\\\\", "\\", "[", "]", "{", "}", ",", ":", " ", "1", "1e5", "a"), {
        maxLength: 60,
      })
      .map((tokens) => tokens.join("")),
    fc.nat().map((digits) => `[${"1".repeat(digits % 40)},12345678901234567890,"\\\\"]`),
  );
  fc.assert(
    fc.property(texts, parts, (json, lengths) => {
      const bytes = Buffer.from(room + json);
      const scan = new JsonBoundsScan(bounds);
      let excess = scan.advance(bytes.subarray(0, unscannedBytes));
      let end = unscannedBytes;
      for (const length of lengths) {
        end = Math.min(bytes.length, end + length);
        excess ??= scan.advance(bytes.subarray(0, end));
      }
      excess ??= scan.finish(bytes);
      expect(excess).toEqual(findJsonExcess(bytes, bounds));
    }),
    { numRuns: 2_000 },
  );
});

test("a text that arrives in parts is scanned no further than its excess", () => {
  const scan = new JsonBoundsScan({ ...wide, elements: 3 });
  expect(scan.advance(Buffer.from("[1,1"))).toBeUndefined();
  expect(scan.advance(Buffer.from("[1,1,1,1"))).toMatchObject({ bound: "elements", byte: 6 });
});
