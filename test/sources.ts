import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export interface Source {
  readonly path: string;
  readonly text: string;
  /** Lines that are neither empty nor comments. */
  readonly codeLines: number;
  /** Repository paths of relative imports. */
  readonly imports: readonly string[];
  /** Names of imported packages and Node modules. */
  readonly packages: readonly string[];
}

export const layers = ["gen", "base", "gateway", "services", "store", "cmd"] as const;
export const layerFiles = layers.flatMap((layer) => listFiles(layer)).map(readSource);
export const consoleFiles = listFiles("console/src").map(readSource);
/** The files of all layers and of the console, without those that are generated or serve tests. */
export const productFiles = [
  ...layerFiles.filter((file) => !file.path.startsWith("gen/") && !file.path.includes("/testproto/")),
  ...consoleFiles,
];

/** Returns the paths of the TypeScript files in a folder, without installed ones. */
export function listFiles(folder: string): readonly string[] {
  return globSync(`${folder}/**/*.{ts,tsx}`, { exclude: ["**/node_modules"] });
}

/** Returns the paths of all files with these extensions that are neither generated, nor installed, nor data. */
export function listWritten(...extensions: readonly string[]): readonly string[] {
  return globSync(`**/*.{${extensions.join()}}`, {
    exclude: ["**/node_modules", "**/gen", "**/dist", "test/testdata"],
  });
}

/** Returns the lines of a file without empty ones at its end. */
export function readLines(path: string): readonly string[] {
  return readFileSync(path, "utf8").trimEnd().split("\n");
}

export function readSource(path: string): Source {
  const lines = readLines(path);
  const text = lines.join("\n");
  const statement = /^(?:import|export)\s[^"';]*?\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm;
  const specifiers = [...text.matchAll(statement)].map((match) => match.slice(1).join(""));
  return {
    path,
    text,
    codeLines: lines.filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length,
    imports: specifiers
      .filter((name) => name.startsWith("."))
      .map((name) => normalize(join(dirname(path), name))),
    packages: specifiers.filter((name) => !name.startsWith(".")),
  };
}
