import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { packageRoot } from "../../base/package/root.ts";

const run = promisify(execFile);

export const repositoryModules = join(packageRoot, "node_modules");
export const packageJson = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));

/**
 * Installs the package in a folder as npm would, without a registry: the real package, with its declared dependencies
 * and no others. Returns the names of its files.
 */
export async function installPackage(folder: string): Promise<string[]> {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: packageRoot });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf("["))) as [
    { filename: string; files: readonly { path: string }[] },
  ];
  const modules = join(folder, "node_modules");
  const installed = join(modules, packageJson.name);
  mkdirSync(installed, { recursive: true });
  await run("tar", ["-xzf", join(folder, packed.filename), "-C", installed, "--strip-components=1"]);
  for (const name of Object.keys(packageJson.dependencies)) link(name, join(installed, "node_modules"));
  for (const name of ["@bufbuild/protobuf", "@connectrpc/connect"]) link(name, modules);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "caller", type: "module" }));
  return packed.files.map(({ path }) => path);
}

function link(name: string, into: string): void {
  mkdirSync(dirname(join(into, name)), { recursive: true });
  symlinkSync(join(repositoryModules, name), join(into, name));
}
