import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** The folder of this package: above the sources, and above the folder of built files. */
export const packageRoot = findRoot(import.meta.dirname);

/** The folder of built files; undefined where the sources run. */
export const builtFolder = import.meta.url.endsWith(".ts") ? undefined : join(packageRoot, "dist");

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
    version: string;
  };
  return version;
}

/**
 * Returns the URL of the module of a thread. The build makes a file of each module that is named `worker` or ends with
 * `-worker`; others are parts of larger files.
 * @param path from the root of the package, without an extension
 */
export function workerUrl(path: string): URL {
  return pathToFileURL(
    builtFolder === undefined ? join(packageRoot, `${path}.ts`) : join(builtFolder, `${path}.js`),
  );
}

function findRoot(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : findRoot(dirname(folder));
}
