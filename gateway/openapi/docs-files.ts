import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The files of swagger-ui-dist that the reference page uses, with their media types. */
export const docsFiles: Readonly<Record<string, string>> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

/** The notices that the licence requires next to the files. */
export const docsNotices: readonly string[] = ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"];

/**
 * Returns the folder of a built package that has copies of the files. The package swagger-ui-dist is no dependency of
 * this one, since it depends on a package whose install script reports every installation.
 */
function builtFolder(): string {
  return fileURLToPath(new URL("swagger-ui", import.meta.url));
}

/** Returns the folder of the package itself, for development. */
export function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
}

/** Returns the path of a file of the reference page. */
export function docsFile(name: string): string {
  const built = join(builtFolder(), name);
  return existsSync(built) ? built : join(packageFolder(), name);
}
