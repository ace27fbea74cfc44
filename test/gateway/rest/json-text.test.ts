import { ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonBounds } from "../../../base/json/bounds.ts";
import { defaultLimits } from "../../../gateway/limits.ts";
import { findJsonError, parseJson } from "../../../gateway/rest/json-text.ts";

function messageOf(body: string | Uint8Array, bounds: Partial<JsonBounds> = {}): string {
  try {
    parseJson(Buffer.from(body), { ...defaultLimits.json, ...bounds });
    return "no error";
  } catch (error) {
    return ConnectError.from(error).rawMessage;
  }
}

test.each([
  ["", "body: not JSON: the text ends at position 0 (line 1, column 1)"],
  ["[1,2", "body: not JSON: the text ends at position 4 (line 1, column 5)"],
  ['{"a":1,}', 'body: not JSON: "}" is unexpected at position 7 (line 1, column 8)'],
  ['{\n "a" 1}', 'body: not JSON: "1" is unexpected at position 7 (line 2, column 6)'],
  ["[1 2]", 'body: not JSON: "2" is unexpected at position 3 (line 1, column 4)'],
  ["[01]", 'body: not JSON: "1" is unexpected at position 2 (line 1, column 3)'],
  ['["a\tb"]', 'body: not JSON: "\\t" is unexpected at position 3 (line 1, column 4)'],
  ['["\\x"]', 'body: not JSON: "\\\\" is unexpected at position 2 (line 1, column 3)'],
  ["\ufeff{}", "no error"],
  ["\ufeff\ufeff{}", 'body: not JSON: "\ufeff" is unexpected at position 0 (line 1, column 1)'],
  ["{}\ufeff", 'body: not JSON: "\ufeff" is unexpected at position 2 (line 1, column 3)'],
  ["{} {}", 'body: not JSON: "{" is unexpected at position 3 (line 1, column 4)'],
  ["[}", 'body: not JSON: "}" is unexpected at position 1 (line 1, column 2)'],
  ["NaN", 'body: not JSON: "N" is unexpected at position 0 (line 1, column 1)'],
  [Uint8Array.of(0x22, 0x61, 0xff, 0x22), "body: byte 0xff at offset 2 is not UTF-8"],
  [Uint8Array.of(0x22, 0xe4, 0xbd), "body: byte 0xe4 at offset 1 is not UTF-8"],
  [Uint8Array.of(0x22, 0xef, 0xbf, 0xbd, 0xc0, 0x22), "body: byte 0xc0 at offset 4 is not UTF-8"],
])("%j: %s", (body, message) => {
  expect(messageOf(body)).toBe(message);
});

describe("what is JSON is decided as V8 decides it", () => {
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };

  test("for whole texts", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(findJsonError(text)).toBeUndefined();
      }),
    );
  });

  test("for texts with one character changed", () => {
    const change = fc.tuple(fc.json(), fc.nat(), fc.constantFrom(...'{}[]:,"\\0-.eEtnu x\n\t\u0001'));
    fc.assert(
      fc.property(change, ([text, at, char]) => {
        const i = at % (text.length + 1);
        const changed = text.slice(0, i) + char + text.slice(i + 1);
        expect(findJsonError(changed) === undefined).toBe(isJson(changed));
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  ["open lists", "[".repeat(1_000_000)],
  ["open objects", '{"a":'.repeat(300_000)],
  ["a string without end", `"${"a".repeat(5_000_000)}`],
])("%s do not exhaust the stack", (_name, text) => {
  expect(messageOf(text, { depth: 10_000_000 })).toContain("the text ends");
});
