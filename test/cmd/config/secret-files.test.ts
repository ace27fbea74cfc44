import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { linesOf, loadText, problemsOf } from "./load.ts";

const yaml = (value: unknown) => JSON.stringify(value);

test("a secret can stand in a file, relative to the configuration's folder; its line end is not part of it", () => {
  const text = "analysis: { tokens: [{ name: a, token: { file: t.txt }, projects: '*' }] }";
  const loaded = loadText(text, {}, { "t.txt": "s3cret \r\n" });
  expect(loaded.config.analysis.tokens[0]?.token).toBe("s3cret ");
  expect(loaded.print()).toContain("engage.yaml:1, file t.txt");
});

test("a variable that ends in _FILE names the file of a secret, relative to the working folder", () => {
  const text = "analysis: { tokens: [{ name: a, token: b, projects: '*' }] }";
  const loaded = loadText(text, { ENGAGE_ANALYSIS_TOKENS_0_TOKEN_FILE: "t.txt" }, { "t.txt": "from file\n" });
  expect(loaded.config.analysis.tokens[0]?.token).toBe("from file");
});

const fileFaults = [
  ["no.txt", 'cannot read the file "no.txt": no such file or folder'],
  ["empty.txt", 'the file "empty.txt" is empty'],
] as const;

test.each(fileFaults)("the secret file %s is refused", (file, message) => {
  const text = `webhook:\n  channels:\n    a:\n      secrets:\n        - value: { file: ${file} }`;
  expect(linesOf(problemsOf(text, {}, { "empty.txt": "\n" }))).toEqual([
    `engage.yaml:5:18: webhook.channels.a.secrets[0].value: ${message}`,
  ]);
});

// The secret is long enough not to be in any text by chance.
const secret = fc
  .string({ minLength: 0, maxLength: 20, unit: "grapheme" })
  .map((text) => `S3cr${text}et-7f3a`);

test("no secret is ever printed, and all else is", () => {
  fc.assert(
    fc.property(secret, secret, secret, (token, value, fromEnvironment) => {
      const text = `
projects: [{ id: 1, name: shown }]
analysis: { tokens: [{ name: n, token: ${yaml(token)}, projects: [1] }, { name: m, token: x, projects: "*" }] }
webhook: { channels: { c: { secrets: [{ value: ${yaml(value)} }] } } }`;
      const print = loadText(text, { ENGAGE_ANALYSIS_TOKENS_1_TOKEN: fromEnvironment }).print();
      for (const hidden of [token, value, fromEnvironment]) expect(print).not.toContain(hidden);
      expect(print.match(/\*{8}/g)).toHaveLength(3);
      expect(parse(print)).toMatchObject({ projects: [{ id: 1, name: "shown" }] });
    }),
    { numRuns: 30 },
  );
});

// The places where users put a secret, valid and invalid ones. Each has a fault that is reported.
const misplaced: readonly ((secret: string) => string)[] = [
  (s) => `analysis: { tokens: [${yaml(s)}] }`,
  (s) => `analysis: { tokens: ${yaml(s)} }`,
  (s) => `analysis: ${yaml(s)}`,
  (s) => `analysis: { tokens: [{ name: n, tokn: ${yaml(s)}, projects: "*" }] }`,
  (s) => `analysis: { tokens: [{ name: n, token: [${yaml(s)}], projects: "*" }] }`,
  (s) => `analysis: { tokens: [{ name: n, token: { value: ${yaml(s)} }, projects: "*" }] }`,
  (s) => `analysis: { tokens: [{ name: n, token: ${yaml(s)}, projects: [9] }] }`,
  (s) => `analysis: { tokens: [{ name: n, token: ${yaml(s)}, sha256: ${"0".repeat(64)}, projects: "*" }] }`,
  (s) => `webhook: { channels: { c: { secrets: ${yaml(s)} } } }`,
  (s) => `webhook: { channels: { c: { secrets: [${yaml(s)}] } } }`,
  (s) => `webhook: { channels: { c: ${yaml(s)} } }`,
  (s) => `webhook: { channels: { c: { secrets: [{ value: ${yaml(s)}, expires: soon }] } } }`,
  (s) => `webhook: { channels: { c: { secrets: [{ value: ${yaml(s)} } } }`,
  (s) => `webhok: { channels: { c: { secrets: [{ value: ${yaml(s)} }] } } }`,
  (s) => `analysis: { tokens: [{ name: n, token: *${s.replace(/[^\w-]/g, "")}, projects: "*" }] }`,
];

test("no secret is ever quoted in a problem", () => {
  fc.assert(
    fc.property(secret, fc.constantFrom(...misplaced), (hidden, place) => {
      const lines = linesOf(problemsOf(place(hidden))).join("\n");
      expect(lines).not.toContain(hidden);
      expect(lines).not.toContain(hidden.replace(/[^\w-]/g, ""));
    }),
    { numRuns: 150 },
  );
});

test("a secret in a broken variable is not quoted either", () => {
  const lines = linesOf(problemsOf("", { ENGAGE_ANALYSIS_TOKENS: "[{ name: n, token: S3cret-7f3a" }));
  expect(lines).toEqual([
    "environment ENGAGE_ANALYSIS_TOKENS: the value is neither valid JSON nor valid YAML",
  ]);
});
