import { expect, test } from "vitest";
import { show } from "../../../../services/event/record/record.ts";

test.each<[unknown, string]>([
  ["a", '"a"'],
  ["x".repeat(100), `"${"x".repeat(100)}"`],
  ["x".repeat(5_000), `"${"x".repeat(100)}…" (5000 characters)`],
  [`${"x".repeat(99)}\u{1f600}`, `"${"x".repeat(99)}…" (101 characters)`],
  [12, "12"],
  [Number.POSITIVE_INFINITY, "Infinity"],
  [null, "null"],
  [undefined, "(missing)"],
  [[1], "(a list)"],
  [{}, "(an object)"],
])("a refusal shows %j in short", (value, text) => {
  expect(show(value)).toBe(text);
});
