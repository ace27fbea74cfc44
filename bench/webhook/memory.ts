import { median } from "../harness/compare.ts";
import type { Generator } from "./generator.ts";
import { startService } from "./servers.ts";
import { openTargets } from "./targets.ts";

const perSecond = 100;
const sampleMs = 1_000;
/** V8 first enlarges the space for new objects in steps of up to 64 MiB; measuring starts after that. */
const warmUp = { turns: 16, batches: 500 };

/** Measures resident memory while 100 batches of 100 messages a second are accepted and delivered. */
export async function measureMemory(generator: Generator, seconds: number): Promise<void> {
  using targets = await openTargets();
  const retention = { finishedMs: 5_000, claimMs: 60_000 };
  await using service = await startService(7351, { demo: ["fast"] }, { targets, inbox: { retention } });
  const samples: number[] = [];
  const load = { port: 7351, path: "/webhook/demo", connections: 16, elements: 100 };
  for (let turn = 0; turn < warmUp.turns; turn++) await generator.run({ ...load, batches: warmUp.batches });
  const timer = setInterval(() => samples.push(service.residentMiB()), sampleMs);
  const before = service.cpuSeconds();
  const result = await generator.run({ ...load, perSecond, batches: perSecond * seconds });
  clearInterval(timer);
  const cpu = (service.cpuSeconds() - before) / result.seconds;
  const part = (from: number, to: number): number =>
    median(samples.slice(Math.floor(samples.length * from), Math.floor(samples.length * to)));
  const rows = [0, 0.2, 0.4, 0.6, 0.8].map((from) => ({
    "part of the time": `${from * 100} to ${Math.round((from + 0.2) * 100)} %`,
    "MiB resident, median": part(from, from + 0.2).toFixed(1),
  }));
  const perSecondSent = (perSecond * seconds) / result.seconds;
  console.log(
    `${Math.round(result.seconds)} s at ${perSecondSent.toFixed(1)} batches/s, ${cpu.toFixed(2)} CPUs`,
  );
  console.table(rows);
  console.log(`last fifth against the first: ${(part(0.8, 1) / part(0, 0.2)).toFixed(3)}, bar ≤ 1.1\n`);
}
