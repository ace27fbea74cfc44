import { expect, test } from "vitest";
import { escapeToAscii } from "../../build/ascii.ts";

test.each([
  ["a text", '"wait… – 总体 \u{1f680}\ufeff"'],
  ["a template", "`2 × 2 = 4 €`"],
  ["an expression", "/[é–\u{1f680}]+$/u.exec('aé–\u{1f680}')[0]"],
  ["a character after an escaped backslash", '"\\\\é"'],
  ["what is ASCII already", '"a\\u2026\\\\n"'],
])("%s stays the same", (_kind, code) => {
  const escaped = escapeToAscii(code);
  expect(escaped).toMatch(/^[ -~]+$/);
  // biome-ignore lint/security/noGlobalEval: this is what an escaped program means.
  expect(eval(escaped)).toBe(eval(code));
});

test.each(['"\\é"', '"\\\\\\é"'])("a character after a backslash is refused: %s", (code) => {
  expect(() => escapeToAscii(code)).toThrow(/after a backslash is not ASCII: .*é$/);
});
