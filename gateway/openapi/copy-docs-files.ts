import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { docsFiles, docsNotices, packageFolder } from "./docs-files.ts";

/**
 * The folder to which this step of the build copies the files of the reference page, next to the built module that
 * reads them.
 */
const folder = "dist/gateway/openapi/swagger-ui";
mkdirSync(folder, { recursive: true });
for (const name of [...Object.keys(docsFiles), ...docsNotices]) {
  copyFileSync(join(packageFolder(), name), join(folder, name));
}
