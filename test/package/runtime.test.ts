import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../base/package/root.ts";

const read = (name: string) => JSON.parse(readFileSync(join(packageRoot, name), "utf8"));
const majorOf = (version: string) => Number(/\d+/.exec(version)?.[0]);

test("tests run on the version of Node that is installed with the clone", () => {
  const { node } = read("package.json").devDependencies;
  const oldest = read("test/servers/node24/package.json").devDependencies.node;
  expect([node, oldest]).toContain(process.versions.node);
});

test("the oldest version that engines allows has a suite, and its types", () => {
  const { engines, devDependencies } = read("package.json");
  const oldest = read("test/servers/node24/package.json").devDependencies.node;
  expect(engines.node).toBe(`>=${majorOf(oldest)}`);
  expect(majorOf(devDependencies["@types/node"])).toBe(majorOf(oldest));
  expect(majorOf(devDependencies.node)).toBeGreaterThan(majorOf(oldest));
});
