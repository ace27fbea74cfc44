import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { stepsOf } from "../../docs/generate/growth/exponent.ts";
import { type Growth, type GrowthPoint, growthFile, readGrowth } from "../../docs/generate/growth/figures.ts";
import { formatCount, formatExponent, formatTime } from "../../docs/generate/growth/format.ts";
import { writeGrowthFiles } from "../../docs/generate/growth/write-files.ts";
import { type GrowthPath, measurePoints } from "./measure.ts";
import { importPaths } from "./paths/imports.ts";
import { parsePaths } from "./paths/parse.ts";
import { pushPaths } from "./paths/pushes.ts";
import { queryPaths } from "./paths/queries.ts";
import { recordPaths } from "./paths/records.ts";
import { startPaths } from "./paths/starts.ts";
import { storedPaths } from "./paths/stored.ts";
import { userPaths } from "./paths/users.ts";
import { webhookPaths } from "./paths/webhook.ts";

/**
 * Measures how the cost of each path grows with its work, writes the figures to `docs/performance/growth.json`, and
 * draws the charts and the page from them. `--only NAME` measures the paths whose names begin so. `--quick` measures
 * one round without the largest amount of work, and writes nothing.
 */
const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [""] },
    quick: { type: "boolean", default: false },
  },
});
const all: readonly GrowthPath[] = [
  ...parsePaths,
  ...webhookPaths,
  ...recordPaths,
  ...startPaths,
  ...importPaths,
  ...queryPaths,
  ...userPaths,
  ...pushPaths,
  ...storedPaths,
];
const chosen = all.filter(({ name }) => values.only.some((only) => name.startsWith(only)));
if (chosen.length === 0) {
  console.error(`--only is not valid, valid are the beginnings of ${all.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

const machine = `${cpus().length} cores of ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB of memory, Linux ${release()}`;
const defaultRounds = 5;

async function measure({
  name,
  sizes,
  rounds = defaultRounds,
  isCold = false,
  open,
}: GrowthPath): Promise<void> {
  const startMs = performance.now();
  await using opened = await open(values.quick ? sizes.slice(0, -1) : sizes);
  const points = await measurePoints(opened, { rounds: values.quick ? 1 : rounds, isCold });
  print(name, points);
  if (opened.refusal !== undefined) console.log(`beyond the limit: ${opened.refusal}`);
  console.log(`took ${formatTime(performance.now() - startMs)}\n`);
  if (values.quick) return;
  const date = new Date().toISOString().slice(0, 10);
  const node = process.versions.node;
  const { refusal } = opened;
  save(name, { date, node, machine, points, ...(refusal !== undefined && { refusal }) });
}

/** Keeps the figures of other paths, in the order of the paths. */
function save(name: string, figures: Growth[string]): void {
  const others = existsSync(growthFile) ? readGrowth() : {};
  const growth: Growth = { ...others, [name]: figures };
  const ordered = all.flatMap((path) =>
    growth[path.name] === undefined ? [] : [[path.name, growth[path.name]]],
  );
  writeFileSync(growthFile, `${JSON.stringify(Object.fromEntries(ordered), null, 2)}\n`);
}

function print(name: string, points: readonly GrowthPoint[]): void {
  const steps = stepsOf(points);
  console.log(name);
  console.table(
    points.map(({ work, cpuMs, clockMs, load }, at) => ({
      work: formatCount(work),
      "CPU time": formatTime(cpuMs),
      "by the clock": formatTime(clockMs),
      exponent: at === 0 ? "" : formatExponent(steps[at - 1]!.exponent),
      "CPU time grows": steps[at - 1]?.growing ?? "",
      load: load.toFixed(1),
    })),
  );
}

mkdirSync(dirname(growthFile), { recursive: true });
for (const path of chosen) await measure(path);
if (!values.quick) writeGrowthFiles();
