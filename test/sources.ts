import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export const layers = ["gen", "base", "gateway", "services", "store", "cmd"] as const;
export const files = layers.flatMap((layer) => listFiles(layer)).map(readSource);
export const inBrowser = listFiles("console/src").map(readSource);
export const product = [
  ...files.filter((file) => !file.path.startsWith("gen/") && !file.path.includes("/testproto/")),
  ...inBrowser,
];

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

export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

export function readSource(path: string): Source {
  const text = readFileSync(path, "utf8");
  const statement = /^(?:import|export)\s[^"';]*?\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm;
  const specifiers = [...text.matchAll(statement)].map((match) => match.slice(1).join(""));
  return {
    path,
    text,
    codeLines: text.split("\n").filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line)).length,
    imports: specifiers
      .filter((name) => name.startsWith("."))
      .map((name) => normalize(join(dirname(path), name))),
    packages: specifiers.filter((name) => !name.startsWith(".")),
  };
}

/** Files that are neither generated, nor installed, nor data. */
export const written = globSync("**/*.{ts,tsx,cjs,sh,yaml}", {
  exclude: ["**/node_modules", "**/gen", "**/dist", "test/testdata"],
});

/** Returns the lines of a file, each of which has an end. */
export const linesOf = (path: string): readonly string[] => readFileSync(path, "utf8").trimEnd().split("\n");
