import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { builtFolder } from "../../base/package/root.ts";

/** The files of swagger-ui-dist that the reference page uses, with their media types. */
export const docsFiles: Readonly<Record<string, string>> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

/** The notices that the licence requires next to the files. */
export const docsNotices: readonly string[] = ["LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"];

/** The folder of copies of the files, in the folder of built files. */
export const docsFolder = "swagger-ui";

/** Returns the folder of the package itself, for development. */
export function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
}

/**
 * Returns the path of a file of the reference page. A built package has copies of the files: the package
 * swagger-ui-dist is no dependency of it, since that depends on a package whose install script reports every
 * installation.
 */
export function docsFile(name: string): string {
  return join(builtFolder === undefined ? packageFolder() : join(builtFolder, docsFolder), name);
}
