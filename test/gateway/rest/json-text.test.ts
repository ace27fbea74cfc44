import { ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import type { JsonBounds } from "../../../base/json/bounds.ts";
import { defaultLimits } from "../../../gateway/limits.ts";
import { parseJson } from "../../../gateway/rest/json-text.ts";

function messageOf(body: string | Uint8Array, bounds: Partial<JsonBounds> = {}): string {
  try {
    parseJson(Buffer.from(body), { ...defaultLimits.json, ...bounds });
    return "no error";
  } catch (error) {
    return ConnectError.from(error).rawMessage;
  }
}

test.each([
  ["", "body: is empty, valid is JSON such as {}"],
  ["[1,2", 'body: not JSON: expected "," or "]", found the end of the text at line 1, column 5 (byte 4)'],
  ['{"a":1,}', 'body: not JSON: expected a key, found "}" at line 1, column 8 (byte 7)'],
  ['{\n "a" 1}', 'body: not JSON: expected ":", found "1" at line 2, column 6 (byte 7)'],
  ["[1 2]", 'body: not JSON: expected "," or "]", found "2" at line 1, column 4 (byte 3)'],
  ["[01]", 'body: not JSON: expected "," or "]", found "1" at line 1, column 3 (byte 2)'],
  [
    '["a\tb"]',
    "body: not JSON: expected an escape in place of a control character, found U+0009 at line 1, column 4 (byte 3)",
  ],
  [
    '["\\x"]',
    'body: not JSON: expected one of "\\/bfnrtu after a backslash, found "x" at line 1, column 4 (byte 3)',
  ],
  ["\ufeff{}", "no error"],
  ["\ufeff\ufeff{}", "body: not JSON: expected a value, found U+FEFF at line 1, column 1 (byte 0)"],
  ["{}\ufeff", "body: not JSON: expected the end of the text, found U+FEFF at line 1, column 3 (byte 2)"],
  ["{} {}", 'body: not JSON: expected the end of the text, found "{" at line 1, column 4 (byte 3)'],
  ["[}", 'body: not JSON: expected a value, found "}" at line 1, column 2 (byte 1)'],
  ["NaN", 'body: not JSON: expected a value, found "N" at line 1, column 1 (byte 0)'],
  [Uint8Array.of(0x22, 0x61, 0xff, 0x22), "body: byte 0xff at offset 2 is not UTF-8"],
  [Uint8Array.of(0x22, 0xe4, 0xbd), "body: byte 0xe4 at offset 1 is not UTF-8"],
  [Uint8Array.of(0x22, 0xef, 0xbf, 0xbd, 0xc0, 0x22), "body: byte 0xc0 at offset 4 is not UTF-8"],
])("%j: %s", (body, message) => {
  expect(messageOf(body)).toBe(message);
});

test.each([
  ["open lists", "[".repeat(1_000_000)],
  ["open objects", '{"a":'.repeat(300_000)],
  ["a string without end", `"${"a".repeat(5_000_000)}`],
])("%s do not exhaust the stack", (_name, text) => {
  expect(messageOf(text, { depth: 10_000_000 })).toContain("found the end of the text");
});
