import { parentPort, workerData } from "node:worker_threads";
import { createSimulation, runSeed } from "./run-seed.ts";

/** The seeds of one thread. */
export interface SeedRange {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

export type SeedMessage =
  | { readonly kind: "done"; readonly seeds: number }
  | { readonly kind: "failed"; readonly text: string };

/** The lines of a failing history that are shown. */
const maxLines = 200;

const { first, last, step } = workerData as SeedRange;
const post = (message: SeedMessage): void => parentPort!.postMessage(message);
const simulation = createSimulation();
for (let seed = first; seed <= last; seed += step) {
  try {
    await runSeed(simulation, seed, maxLines);
    post({ kind: "done", seeds: 1 });
  } catch (error) {
    post({ kind: "failed", text: (error as Error).message });
    break;
  }
}
