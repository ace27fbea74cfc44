import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { createSimulation, runSeed } from "./run-seed.ts";
import type { SeedMessage, SeedRange } from "./seed-thread.ts";

/**
 * Runs histories of many seeds on all cores: `npm run simulate -- --seeds 100000 --first 1`, on fewer with `--threads
 * 1`; or one of them with all its lines: `npm run simulate -- --seed 42`. Ends with status 1 after the first seed that
 * fails.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    first: { type: "string", default: "1" },
    seed: { type: "string" },
    threads: { type: "string", default: String(availableParallelism()) },
  },
});

if (values.seed === undefined) runAll(Number(values.first), Number(values.seeds), Number(values.threads));
else await runSeed(createSimulation(), Number(values.seed), Number.MAX_SAFE_INTEGER).catch(fail);

function fail(error: Error): never {
  console.error(error.message);
  process.exit(1);
}

/** Runs seeds in threads, each of which takes every n-th of them. */
function runAll(first: number, seeds: number, threads: number): void {
  const last = first + seeds - 1;
  const startMs = performance.now();
  let done = 0;
  const take = (message: SeedMessage): void => {
    if (message.kind === "failed") fail(new Error(message.text));
    done += message.seeds;
    const minutes = (performance.now() - startMs) / 60_000;
    if (done % 100 === 0 || done === seeds)
      console.log(`${done} seeds, ${Math.round(done / minutes)} a minute, three histories each`);
    if (done === seeds) console.log(`seeds ${first} to ${last} keep all rules`);
  };
  for (let at = 0; at < threads; at++) {
    const workerData: SeedRange = { first: first + at, last, step: threads };
    const worker = new Worker(new URL("./seed-thread.ts", import.meta.url), { workerData });
    worker.on("message", take);
    worker.on("error", fail);
  }
  process.once("exit", () => {
    if (done === seeds || process.exitCode !== undefined) return;
    console.error(`the threads ended after ${done} of ${seeds} seeds`);
    process.exitCode = 1;
  });
}
