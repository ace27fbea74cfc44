import { setTimeout as sleep } from "node:timers/promises";
import { median, quantile } from "../harness/compare.ts";
import type { Generator } from "./generator.ts";
import { startService } from "./servers.ts";
import { openTargets } from "./targets.ts";

const perSecond = 50;
const seconds = 10;
/** More than a message takes to the fast target. */
const settleMs = 500;

/** How old messages are at a target that answers at once, alone and beside one that sleeps 5 s. */
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
  // The median over the rounds, since one round may meet a pause of the machine.
  const p99 = (each: readonly number[][]): number => median(each.map((round) => quantile(round, 0.99)));
  const row = (name: string, each: readonly number[][]) => ({
    "the fast target": name,
    calls: each.flat().length,
    "p50 ms": median(each.map((round) => quantile(round, 0.5))).toFixed(1),
    "p99 ms": p99(each).toFixed(1),
  });
  console.log(`from sending to the target, ${perSecond} batches of 20 messages a second`);
  console.table([row("alone", ages.alone), row("beside one that sleeps 5 s", ages.beside)]);
  const ratio = (p99(ages.beside) / p99(ages.alone)).toFixed(2);
  console.log(`medians of ${rounds} rounds; p99 beside against alone: ${ratio}, bar ≤ 1.2\n`);
}
