import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { packageRoot } from "../../base/package/root.ts";

/** Prints what is imported by the sources, or by the packages that they import, with the places that are found. */
const script = `
import { globSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const sources = globSync("{base,cmd,gateway,gen,services,store}/**/*.ts");
const packages = globSync("node_modules/{@bufbuild/protobuf/dist/esm,@connectrpc/connect/dist/esm,zod/v4/core}/**/*.js");
for (const file of [...sources, ...packages]) {
  const url = pathToFileURL(file).href;
  for (const [, name] of readFileSync(file, "utf8").matchAll(/^(?:import|export) [^;]*?from "([^"]+)";$/gm)) {
    console.log(file, name, import.meta.resolve(name, url));
  }
}`;

function findAll(...options: string[]): readonly string[] {
  const fixed = [
    "--no-warnings",
    "--experimental-import-meta-resolve",
    "--input-type=module",
    "--eval",
    script,
  ];
  const output = execFileSync(process.execPath, [...options, ...fixed], {
    cwd: packageRoot,
    encoding: "utf8",
  });
  return output.trim().split("\n");
}

const preload = join(packageRoot, "cmd/find-modules.cjs");

test("finds the modules that Node finds", () => {
  const found = findAll("--require", preload);
  expect(found.length).toBeGreaterThan(1_000);
  expect(found).toEqual(findAll());
});

test("leaves it to Node to report names that do not exist", () => {
  const missing = `
import { pathToFileURL } from "node:url";
import.meta.resolve("no-such-package", ${JSON.stringify(pathToFileURL(join(packageRoot, "cmd/main.ts")).href)});`;
  const options = ["--experimental-import-meta-resolve", "--input-type=module", "--eval", missing];
  expect(() =>
    execFileSync(process.execPath, ["--require", preload, ...options], { cwd: packageRoot, stdio: "pipe" }),
  ).toThrow("Cannot find package 'no-such-package'");
});
