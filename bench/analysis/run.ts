import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

/**
 * Runs the parts of the analysis benchmark, each in a process of its own. One part with its flags:
 * `node bench/analysis/rest.ts --events 1000000 --only median`, `node bench/analysis/import.ts --records 10000000`.
 */
const parts = [
  "rest",
  "store",
  "clickhouse",
  "catalog",
  "import",
  "prepare",
  "ingest",
  "watch",
  "spool",
  "intake",
  "download",
  "neighbours",
];
const { values } = parseArgs({ options: { part: { type: "string", multiple: true, default: parts } } });

for (const part of values.part) {
  if (!parts.includes(part))
    throw new Error(`--part ${JSON.stringify(part)} is not valid, valid are ${parts.join(", ")}`);
  console.log(`## ${part}`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${part}.ts`)], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}
