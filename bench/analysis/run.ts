import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

/**
 * Events and their analysis, part by part, each in a process of its own. Alone, with flags of the part:
 * `node bench/analysis/rest.ts --events 1000000 --only median`, `node bench/analysis/import.ts --records 10000000`.
 */
const fileOf = (part: string) => join(import.meta.dirname, `${part}.ts`);
const parts = ["rest", "store", "import", "ingest", "download", "neighbours"].filter((part) =>
  existsSync(fileOf(part)),
);
const { values } = parseArgs({ options: { part: { type: "string", multiple: true, default: parts } } });

for (const part of values.part) {
  if (!parts.includes(part)) throw new Error(`--part is ${JSON.stringify(part)}, give ${parts.join(", ")}`);
  console.log(`## ${part}`);
  const { status } = spawnSync(process.execPath, [fileOf(part)], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
