import { setTimeout as sleep } from "node:timers/promises";
import { median, quantile } from "../harness/compare.ts";
import type { Generator } from "./generator.ts";
import { startService } from "./servers.ts";
import { openTargets } from "./targets.ts";

const perSecond = 50;
const seconds = 10;
/** Longer than a delivery to the fast target takes. */
const settleMs = 500;

/** Measures the age of messages at a fast target, alone and beside one that sleeps 5 s. */
export async function measureSlowTarget(generator: Generator, rounds: number): Promise<void> {
  using targets = await openTargets();
  await using alone = await startService(7341, { demo: ["fast"] }, { targets });
  await using beside = await startService(7342, { demo: ["fast", "slow"] }, { targets });
  const turn = {
    path: "/webhook/demo",
    connections: 16,
    elements: 20,
    perSecond,
    batches: perSecond * seconds,
  };
  const run = async ({ port }: { readonly port: number }): Promise<readonly number[]> => {
    await generator.run({ ...turn, port });
    await sleep(settleMs);
    return await targets.agesMs();
  };
  await run(alone);
  await run(beside);
  const ages = { alone: [] as number[][], beside: [] as number[][] };
  for (let round = 0; round < rounds; round++) {
    ages.alone.push([...(await run(alone))]);
    ages.beside.push([...(await run(beside))]);
  }
  // The median over the rounds, since the machine may pause in one.
  const p99 = (each: readonly number[][]): number => median(each.map((round) => quantile(round, 0.99)));
  const row = (name: string, each: readonly number[][]) => ({
    "the fast target": name,
    calls: each.flat().length,
    "p50 ms": median(each.map((round) => quantile(round, 0.5))).toFixed(1),
    "p99 ms": p99(each).toFixed(1),
  });
  console.log(`age at the fast target, ${perSecond} batches of 20 messages a second`);
  console.table([row("alone", ages.alone), row("beside one that sleeps 5 s", ages.beside)]);
  const ratio = (p99(ages.beside) / p99(ages.alone)).toFixed(2);
  console.log(`medians of ${rounds} rounds; p99 beside against alone: ${ratio}, bar ≤ 1.2\n`);
}
