import { describe, expect, test } from "vitest";
import { quote, quoteList, quoteText, shorten } from "../../../base/text/quote.ts";

describe("a value of a caller in a message", () => {
  test.each<[unknown, string]>([
    ["a", '"a"'],
    ['"\n', '"\\"\\n"'],
    ["x".repeat(100), `"${"x".repeat(100)}"`],
    ["x".repeat(101), `"${"x".repeat(100)}…" (101 characters)`],
    [`${"x".repeat(99)}\u{1f600}`, `"${"x".repeat(99)}…" (101 characters)`],
    [Number.POSITIVE_INFINITY, "Infinity"],
    [1.5, "1.5"],
    [true, "true"],
    [null, "null"],
    [undefined, "nothing"],
    [["x".repeat(1_000)], "a list"],
    [{ a: 1 }, "an object"],
  ])("%j", (value, text) => {
    expect(quote(value)).toBe(text);
  });

  test.each(["name", "x".repeat(100)])("of a usual length stands as it is: %s", (text) => {
    expect(shorten(text)).toBe(text);
    expect(quoteText(text)).toBe(`"${text}"`);
  });

  test("is cut also where no quotes stand around it", () => {
    expect(shorten("a.".repeat(1_000))).toBe(`${"a.".repeat(50)}…`);
  });
});

test("a long list is cut, and says how many more there are", () => {
  expect(quoteList(["a", "b"])).toBe('"a", "b"');
  const long = quoteList(Array.from({ length: 5_000 }, (_, i) => `option ${i}`));
  expect(long.length).toBeLessThan(1_200);
  expect(long).toMatch(/^"option 0", .* and \d+ more$/);
});
