import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { startServer } from "../harness/processes.ts";
import { batchSize } from "./world.ts";

const run = promisify(execFile);
const port = 18_470;
const url = `http://127.0.0.1:${port}/hook`;
const mebibyte = 1_048_576;

async function json(script: string, ...args: readonly string[]) {
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, script), ...args]);
  return JSON.parse(stdout);
}

/** Measures a push to many recipients, against clients that only send the same bodies. */
export async function measureThroughput(recipients: number): Promise<void> {
  await using _receiver = await startServer(join(import.meta.dirname, "receiver.ts"), port);
  const batches = String(recipients / batchSize);
  const floor = await json("floor.ts", url, batches, "fetch");
  const pool = await json("floor.ts", url, batches, "pool");
  await fetch(url).then((response) => response.arrayBuffer());
  const few = await json("sender.ts", url, String(recipients / 10));
  const ours = await json("sender.ts", url, String(recipients));
  const whole = ours.preparingSeconds + ours.sendingSeconds;
  const rowOf = (part: string, seconds: number, cpuSeconds: number) => ({
    part,
    seconds: seconds.toFixed(1),
    "requests/s": Math.round(Number(batches) / seconds),
    "requests/CPU s": Math.round(Number(batches) / cpuSeconds),
  });
  console.table([
    rowOf("fetch, prepared bodies", floor.seconds, floor.cpuSeconds),
    rowOf("undici pool, prepared bodies", pool.seconds, pool.cpuSeconds),
    rowOf("sending", ours.sendingSeconds, ours.cpuSeconds),
    rowOf("preparing and sending", whole, ours.preparingCpuSeconds + ours.cpuSeconds),
  ]);
  const wholeCpu = ours.preparingCpuSeconds + ours.cpuSeconds;
  const ratios = [floor.cpuSeconds / wholeCpu, floor.cpuSeconds / ours.cpuSeconds, floor.seconds / whole];
  const [all, sending, clock] = ratios.map((ratio) => ratio.toFixed(2));
  console.log(`requests/CPU s against fetch: ${all} with preparing (bar ≥ 0.60), ${sending} sending only`);
  console.log(`requests/s against fetch, with preparing: ${clock}; ${ours.succeeded} succeeded`);
  const peakOf = (run: typeof ours) => Math.max(run.preparingBytes, run.sendingBytes);
  const peaks = [few, ours].map((run) => Math.round(peakOf(run) / mebibyte));
  console.log(
    `peak memory: ${peaks[0]} MiB for ${recipients / 10} recipients, ${peaks[1]} MiB for ${recipients}`,
  );
}
