import { expect, test } from "vitest";
import { escapeToAscii } from "../../build/ascii.ts";

test.each([
  ["a text", '"wait… – 总体 \u{1f680}\ufeff"'],
  ["a template", "`2 × 2 = 4 €`"],
  ["an expression", "/[é–\u{1f680}]+$/u.exec('aé–\u{1f680}')[0]"],
  ["what is ASCII already", '"a\\u2026\\\\n"'],
])("%s stays the same", (_kind, code) => {
  const escaped = escapeToAscii(code);
  expect(escaped).toMatch(/^[ -~]+$/);
  // biome-ignore lint/security/noGlobalEval: this is what an escaped program means.
  expect(eval(escaped)).toBe(eval(code));
});
