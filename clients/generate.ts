import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isGenerated, noteContract } from "./contract.ts";

/**
 * Writes the generated code of the clients from `proto/`, with the compilers that Debian has: `protobuf-compiler`,
 * `protobuf-compiler-grpc` and `mypy-protobuf` for Python, `protoc-gen-go` and `protoc-gen-go-grpc` for Go. Arguments:
 * `python` or `go`, for one of them, and another folder to write to, instead of `clients`; or `check`, which writes
 * nothing and fails when the code is older than the contract.
 */
const root = join(import.meta.dirname, "..");
const [language = "all", target = import.meta.dirname] = process.argv.slice(2);

/** Returns the files that buf generates with a template, by their paths. */
function generate(template: string): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "engage-generate-"));
  try {
    const args = ["generate", "--template", join(import.meta.dirname, template), "--output", folder];
    // A plugin reports each file that it writes.
    execFileSync(join(root, "node_modules/.bin/buf"), args, { cwd: root, stdio: "pipe" });
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const paths = entries.map((entry) => join(entry.parentPath, entry.name));
    return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writeAll(folder: string, files: ReadonlyMap<string, string>): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/**
 * Moves the modules below one package. Otherwise they would be top-level packages, of which `proto` is also the name of
 * another project's.
 */
function moveBelow(pythonPackage: string, text: string): string {
  return text
    .replaceAll(/^from (engage|proto)\b/gm, `from ${pythonPackage}.$1`)
    .replaceAll(/(?<![\w.])(engage|proto)(?=(?:\.\w+)*_pb2)/g, `${pythonPackage}.$1`);
}

/** Adds what makes each folder a package that installers find. */
function addPackageFiles(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const folders = new Set([""]);
  for (const path of files.keys()) {
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) folders.add(folder);
  }
  return new Map([...files, ...[...folders].map((folder) => [join(folder, "__init__.py"), ""] as const)]);
}

/** Reports whether a file is made for stubs, but its part of the contract has no service. */
function isEmpty(path: string, text: string): boolean {
  return /_grpc\.pyi?$/.test(path) && !/^class /m.test(text);
}

function writePython(target: string): void {
  const files = [...generate("python/buf.gen.yaml")]
    .filter(([path, text]) => !isEmpty(path, text))
    .map(([path, text]) => [path, moveBelow("engage_client.gen", text)] as const);
  writeAll(join(target, "python/src/engage_client/gen"), addPackageFiles(new Map(files)));
}

/** Go imports packages by the path of their module, within which buf writes them. */
function writeGo(target: string): void {
  const files = [...generate("go/buf.gen.yaml")].map(
    ([path, text]) => [path.replace(/^gen\//, ""), text] as const,
  );
  writeAll(join(target, "go/gen"), new Map(files));
}

function check(): void {
  if (isGenerated(root)) return;
  process.stderr.write(
    "clients/ is older than proto/: run `npm run generate:clients` and commit the changes\n",
  );
  process.exitCode = 1;
}

if (language === "check") check();
else {
  if (language !== "go") writePython(target);
  if (language !== "python") writeGo(target);
  if (language === "all") noteContract(root);
}
