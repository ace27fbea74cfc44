import { describe, expect, it } from "vitest";
import { InvariantError } from "./invariant-error.ts";
import { brokenRecordStores } from "./records/broken-stores.ts";
import { createSimulation, runSeed } from "./run-seed.ts";

const simulation = createSimulation();
const seeds = Array.from({ length: 200 }, (_, at) => at + 1);
const maxLines = 200;

it("keeps all rules in the histories of 200 seeds", async () => {
  for (const seed of seeds) await runSeed(simulation, seed, maxLines);
}, 600_000);

it("replays the history of a seed exactly", async () => {
  const histories: string[][] = [[], []];
  for (const lines of histories) await simulation.records(11, (line) => lines.push(line));
  expect(histories[0]!.length).toBeGreaterThan(100);
  expect(histories[1]).toEqual(histories[0]);
});

describe("finds within 200 seeds a store which", () => {
  it.each(Object.entries(brokenRecordStores))(
    "%s",
    async (_name, stores) => {
      const find = async (): Promise<void> => {
        for (const seed of seeds) await simulation.records(seed, undefined, stores);
      };
      await expect(find()).rejects.toThrow(InvariantError);
    },
    600_000,
  );
});
