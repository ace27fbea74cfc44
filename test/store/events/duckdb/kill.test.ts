import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { openDuckDbStore } from "../../../../store/events/duckdb/duckdb.ts";
import { casesOf } from "../../../thorough.ts";
import { createDuckDbWorld, smallStore } from "./duckdb-world.ts";
import { expectedStats, levelsOf } from "./numbered-batch.ts";

const script = join(import.meta.dirname, "load-loop.ts");
const runs = casesOf(8);

/** Kills a loading process some time after its second batch; resolves to the last batch it acknowledged. */
async function loadUntilKilled(folder: string, run: number): Promise<number> {
  const child = spawn(process.execPath, [script, folder], { stdio: ["ignore", "pipe", "inherit"] });
  const acknowledged: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => acknowledged.push(line));
  await once(lines, "line");
  await once(lines, "line");
  // The kill comes at another moment of a load in each run.
  await setTimeout(run * 9);
  child.kill("SIGKILL");
  await Promise.all([once(child, "exit"), once(lines, "close")]);
  return Number(acknowledged.at(-1)!.split(" ")[0]);
}

it(`has every acknowledged batch once after ${runs} kills`, { timeout: 120_000 }, async () => {
  await using world = await createDuckDbWorld();
  let acknowledged = 0;
  for (let run = 0; run < runs; run++) acknowledged = await loadUntilKilled(world.folder, run);
  const folders = { folder: join(world.folder, "events"), stagingFolder: join(world.folder, "staging") };
  await using store = await openDuckDbStore({ ...smallStore, ...folders });
  const last = store.loadedTo()!.offset;
  expect(last).toBeGreaterThanOrEqual(acknowledged);
  expect(last).toBeLessThanOrEqual(acknowledged + 1);
  expect((await store.stats()).projects).toMatchObject([expectedStats(last)]);
  expect(await levelsOf(store)).toEqual(Array.from({ length: 50 }, () => last));
  expect(await store.check(new AbortController().signal)).toEqual([]);
});
