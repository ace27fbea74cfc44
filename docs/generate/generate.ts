import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeAlerts } from "./alerts/alerts.ts";
import { writeApiExamples } from "./api-examples/api-examples.ts";
import { writeCommandLine } from "./command-line/command-line.ts";
import { writeManual } from "./command-line/manual.ts";
import { writeConfiguration } from "./configuration/configuration.ts";
import { writeErrors } from "./errors/errors.ts";
import { writeGrowthFiles } from "./growth/write-files.ts";
import { writeMetrics } from "./metrics/metrics.ts";
import { writeQueryLanguage } from "./query-language/query-language.ts";

/** Writes the files of a folder, and deletes all others in it. */
function writeFolder(name: string, files: Iterable<readonly [name: string, text: string]>): void {
  const folder = join(import.meta.dirname, "..", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [file, text] of files) writeFileSync(join(folder, file), text);
}

writeFolder("reference", [
  ["alerts.md", writeAlerts()],
  ["api-examples.json", await writeApiExamples()],
  ["command-line.md", writeCommandLine()],
  ["configuration.md", writeConfiguration()],
  ["errors.md", writeErrors()],
  ["metrics.md", writeMetrics()],
  ["query-language.md", await writeQueryLanguage()],
]);
writeFolder("man", writeManual());
writeGrowthFiles();
