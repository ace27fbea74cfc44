import { expect, test } from "vitest";
import { cutText, cutUtf8, startOfCharacter } from "../../../base/text/cut.ts";

test.each([
  ["", 3, ""],
  ["abc", 3, "abc"],
  ["abcd", 3, "abc"],
  ["ab😀c", 3, "ab"],
  ["ab😀c", 4, "ab😀"],
] as const)("%j is cut to %i units: %j", (text, maxLength, cut) =>
  expect(cutText(text, maxLength)).toBe(cut),
);

test.each([
  ["abc", 3, "abc"],
  ["abcd", 3, "abc"],
  ["aé", 2, "a"],
  ["aé", 3, "aé"],
  ["a客b", 3, "a"],
  ["a😀b", 4, "a"],
  ["a😀b", 5, "a😀"],
] as const)("%j is cut to %i bytes: %j", (text, maxBytes, cut) =>
  expect(Buffer.from(cutUtf8(Buffer.from(text), maxBytes)).toString()).toBe(cut),
);

test("bytes that are no UTF-8 are searched 3 bytes back", () =>
  expect(startOfCharacter(new Uint8Array(9).fill(0x80), 8)).toBe(5));
