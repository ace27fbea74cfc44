import { expect, test } from "vitest";
import { nearestName } from "../../../base/text/nearest.ts";

test.each([
  ["a wrong letter", "cahnnel", ["channel", "chapel"], "channel"],
  ["a missing letter at the start", "hannel", ["channel", "panel"], "channel"],
  ["letters too many at the end", "channelxy", ["channel", "event"], "channel"],
  ["another case", "CHANNEL", ["event", "channel"], "channel"],
  ["nothing close", "push", ["channel", "event"], undefined],
  ["more than a third of the letters wrong", "abcdef", ["abcxyz"], undefined],
  [
    "8 letters wrong in a long name",
    `${"x".repeat(8)}${"a".repeat(100)}`,
    ["a".repeat(108)],
    "a".repeat(108),
  ],
  ["9 letters wrong in a long name", `${"x".repeat(9)}${"a".repeat(100)}`, ["a".repeat(109)], undefined],
  ["8 letters before a long name", `${"x".repeat(8)}${"a".repeat(100)}`, ["a".repeat(100)], "a".repeat(100)],
])("nearest name: %s", (_, name, candidates, expected) => {
  expect(nearestName(name, candidates)).toBe(expected);
});
