import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const bin = resolve("node_modules/.bin");
const env = { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"]}` };
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "generated-"));
  execFileSync(join(bin, "buf"), ["generate", "--output", folder], { env });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

function readTree(root: string): Map<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  return new Map(names.sort().map((name) => [name, readFileSync(join(root, name), "utf8")]));
}

test("gen/ is what buf generate writes", () => {
  expect(readTree("gen")).toEqual(readTree(join(folder, "gen")));
});

test("the contracts pass the linter and are formatted", () => {
  expect(execFileSync(join(bin, "buf"), ["lint"], { env, encoding: "utf8" })).toBe("");
  expect(execFileSync(join(bin, "buf"), ["format", "--diff", "proto"], { env, encoding: "utf8" })).toBe("");
});
