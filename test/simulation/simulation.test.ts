import { describe, expect, it } from "vitest";
import { casesOf } from "../thorough.ts";
import { brokenInboxes } from "./inbox/broken-inbox.ts";
import { InvariantError } from "./invariant-error.ts";
import { brokenChannels } from "./pushes/broken-channels.ts";
import { brokenRecordStores } from "./records/broken-stores.ts";
import { createSimulation, runSeed } from "./run-seed.ts";

const simulation = createSimulation();
const seeds = Array.from({ length: 200 }, (_, at) => at + 1);
const maxLines = 200;

it(`keeps all rules in the histories of ${casesOf(200)} seeds`, async () => {
  for (const seed of seeds.slice(0, casesOf(200))) await runSeed(simulation, seed, maxLines);
}, 600_000);

it("replays the history of a seed exactly", async () => {
  const histories: string[][] = [[], []];
  for (const lines of histories) await simulation.records(11, (line) => lines.push(line));
  expect(histories[0]!.length).toBeGreaterThan(100);
  expect(histories[1]).toEqual(histories[0]);
});

describe("finds within 200 seeds a store which", () => {
  const timeout = 600_000;
  const expectFound = async (run: (seed: number) => Promise<void>): Promise<void> => {
    const find = async (): Promise<void> => {
      for (const seed of seeds) await run(seed);
    };
    await expect(find()).rejects.toThrow(InvariantError);
  };
  it.each(Object.entries(brokenRecordStores))(
    "%s",
    { timeout },
    async (_name, stores) => await expectFound((seed) => simulation.records(seed, undefined, stores)),
  );
  it.each(Object.entries(brokenInboxes))(
    "%s",
    { timeout },
    async (_name, rewrite) => await expectFound((seed) => simulation.inbox(seed, undefined, rewrite)),
  );
  it.each(Object.entries(brokenChannels))(
    "%s",
    { timeout },
    async (_name, rewrite) => await expectFound((seed) => simulation.pushes(seed, undefined, rewrite)),
  );
});
