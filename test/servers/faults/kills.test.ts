import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { seeded } from "../webhook/batches.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { startLoad } from "./load/load.ts";

/** `KILL_ROUNDS=200 KILL_SEED=1` runs more rounds than fit a suite. */
const rounds = Number(process.env["KILL_ROUNDS"] ?? 25);
const seed = Number(process.env["KILL_SEED"] ?? randomInt(2 ** 31));
const recipients = rounds * 300;
const maxLifeMs = 1_200;
const maxAwayMs = 300;
const killedPart = 0.4;
const roundsToProgress = 10;

interface Victim {
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Kills some of the processes at one moment, and starts them again together. */
async function killSome({ replicas, shards }: Cluster, random: () => number): Promise<void> {
  const all: readonly Victim[] = [...replicas, ...shards];
  const chosen = all.filter(() => random() < killedPart);
  const victims = chosen.length > 0 ? chosen : [all[Math.floor(random() * all.length)]!];
  await Promise.all(victims.map((victim) => victim.kill()));
  await sleep(random() * maxAwayMs);
  await Promise.all(victims.map((victim) => victim.start()));
}

const name = `loses nothing, and counts nothing twice, when replicas and shards are killed in ${rounds} rounds with seed ${seed}`;
it(name, { timeout: 120_000 + rounds * 20_000 }, async () => {
  await using cluster = await openCluster({ projects: 1 });
  await using load = await startLoad(cluster, { project: 1, recipients, seed });
  const random = seeded(seed);
  await load.progress();
  for (let round = 1; round <= rounds; round++) {
    await sleep(random() * maxLifeMs);
    await killSome(cluster, random);
    // A replica which lives for less than a lease seldom loads.
    if (round % roundsToProgress === 0) await load.progress();
  }
  await load.expectSound();
  expect(await cluster.run("store", "check")).toBe("no faults found\n");
});
