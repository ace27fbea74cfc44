import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the names, versions and licences of the packages that modules belong to. @param modules paths of files */
export function describeLicences(modules: readonly string[]): string {
  const folders = modules.map((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  const packages = [...new Set(folders.filter((folder) => folder !== undefined))].sort();
  const head = "Files in this folder contain parts of these packages.\n";
  return [head, ...packages.map(describePackage)].join(`\n${"-".repeat(80)}\n`);
}

function describePackage(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    name: string;
    version: string;
    license: string;
  };
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|notice)/i.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8"));
  return [`${name} ${version}, ${license}\n`, ...texts].join("\n");
}
