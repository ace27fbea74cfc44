import { parseArgs } from "node:util";
import { createSimulation, runSeed } from "./run-seed.ts";

/**
 * Runs histories of many seeds: `npm run simulate -- --seeds 100000 --first 1`, or one of them with all
 * its lines: `npm run simulate -- --seed 42`. Ends with status 1 after the first seed that fails.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    first: { type: "string", default: "1" },
    seed: { type: "string" },
  },
});

const simulation = createSimulation();
const first = Number(values.seed ?? values.first);
const last = values.seed === undefined ? first + Number(values.seeds) - 1 : first;
const maxLines = values.seed === undefined ? 200 : Number.MAX_SAFE_INTEGER;
const startMs = performance.now();
for (let seed = first; seed <= last; seed++) {
  try {
    await runSeed(simulation, seed, maxLines);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
  const done = seed - first + 1;
  const seconds = (performance.now() - startMs) / 1_000;
  if (done % 100 === 0) console.log(`${done} seeds, ${Math.round((done / seconds) * 60)} a minute`);
}
console.log(`seeds ${first} to ${last} keep all rules`);
