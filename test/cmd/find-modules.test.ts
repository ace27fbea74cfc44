import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { packageRoot } from "../../base/package/root.ts";

/** Prints what is imported by the sources, or by the packages that they import, with the places that are found. */
const script = `
import { globSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const sources = globSync("{base,cmd,docs,gateway,gen,services,store}/**/*.ts");
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

const zodFolder = "../node_modules/zod/v4/core";

/** Imports a name as a source does, after a module of a package; returns the code and the message of the error. */
function failToImport(name: string, ...options: string[]): string {
  const importer = JSON.stringify(pathToFileURL(join(packageRoot, "cmd/main.ts")).href);
  const script = `
import { registerHooks } from "node:module";
registerHooks({ resolve: (name, context, next) => next(name, { ...context, parentURL: ${importer} }) });
await import("${zodFolder}/versions.js");
await import(${JSON.stringify(name)}).catch(({ code, message }) => console.log(code, message));`;
  const args = [...options, "--input-type=module", "--eval", script];
  return execFileSync(process.execPath, args, { cwd: packageRoot, encoding: "utf8" });
}

test.each([
  ["no-such-package", "Cannot find package 'no-such-package'"],
  ["./no-such-file.ts", `Cannot find module '${join(packageRoot, "cmd/no-such-file.ts")}'`],
  [
    `${zodFolder}/no-such-file.js`,
    `Cannot find module '${join(packageRoot, "cmd", zodFolder, "no-such-file.js")}'`,
  ],
])("reports that %s does not exist as Node does", (name, message) => {
  const reported = failToImport(name, "--require", preload);
  expect(reported).toMatch(`ERR_MODULE_NOT_FOUND ${message} imported from`);
  expect(reported).toBe(failToImport(name));
});
