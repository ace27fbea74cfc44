import fc from "fast-check";
import { RE2JS } from "re2js";
import { expect, it } from "vitest";
import { patternSize } from "../../../../../services/analysis/describe/condition/pattern-size.ts";

it.each([
  ["abc", 3],
  ["[a-z]{1000}", 1_000],
  ["(abc){2,10}", 60],
  ["((a{30}){30})x", 963],
  ["a{3,}", 6],
  ["\\Qa{9}\\E", 4],
  ["[]{9}]", 1],
  ["[[:alpha:]{9}]", 1],
  ["\\{9}", 3],
  ["\\p{Greek}{20}", 20],
  ["\\x{10FFFF}{20}", 20],
  ["(a", 3],
  ["a)", 1],
])("takes %s for %d steps", (pattern, steps) => {
  expect(patternSize(pattern)).toBe(steps);
});

it("is no less than a third of what a pattern is compiled to", () => {
  const atoms = fc.constantFrom(
    "a",
    "é",
    ".",
    "\\d",
    "[^x-z]",
    "[]a]",
    "\\pL",
    "\\p{Greek}",
    "\\Qa{9}\\E",
    "^",
  );
  const repeats = fc.constantFrom("", "*", "+?", "?", "{7}", "{2,5}", "{3,}", "{0,9}");
  const { pattern: patterns } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
    piece: fc
      .tuple(
        fc.oneof(
          { depthSize: "small" },
          atoms,
          tie("pattern").map((inner) => `(${inner})`),
        ),
        repeats,
      )
      .map((parts) => parts.join("")),
    pattern: fc
      .array(tie("piece"), { minLength: 1, maxLength: 4 })
      .chain((pieces) => fc.constantFrom("", "|").map((sign) => pieces.join(sign))),
  }));
  fc.assert(
    fc.property(patterns, (pattern) => {
      fc.pre(isValid(pattern));
      expect(RE2JS.compile(pattern).programSize()).toBeLessThanOrEqual(3 * patternSize(pattern) + 4);
    }),
  );
});

/** Repetitions within each other may come to too many. */
function isValid(pattern: string): boolean {
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}
