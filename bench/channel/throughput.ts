import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { median } from "../harness/compare.ts";
import { startServer } from "../harness/processes.ts";
import { batchSize } from "./world.ts";

const run = promisify(execFile);
const port = 18_470;
const url = `http://127.0.0.1:${port}/hook`;
const mebibyte = 1_048_576;
/** As the server starts: without it, threads that help the garbage collector take a fifth of the CPU time of both. */
const flag = "--v8-pool-size=1";

async function json(script: string, ...args: readonly string[]) {
  const { stdout } = await run(process.execPath, [flag, join(import.meta.dirname, script), ...args]);
  return JSON.parse(stdout);
}

interface Round {
  /** Of the pool of undici. */
  readonly peer: Timing;
  readonly sending: Timing;
  readonly whole: Timing;
  /** The same and the making of the users, which is part of the benchmark. */
  readonly withMaking: Timing;
  readonly peakBytes: number;
}

interface Timing {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/**
 * Measures pushes to many recipients, in turns with a pool of undici that only sends the same bodies. Ratios are taken
 * per round, and their median is printed.
 */
export async function measureThroughput(recipients: number, rounds: number): Promise<void> {
  await using _receiver = await startServer(join(import.meta.dirname, "receiver.ts"), port);
  const few = await measureRound(recipients / 10);
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) measured.push(await measureRound(recipients));
  const batches = recipients / batchSize;
  const rowOf = (part: string, of: (round: Round) => Timing) => ({
    part,
    "requests/s": Math.round(median(measured.map((round) => batches / of(round).seconds))),
    "requests/CPU s": Math.round(median(measured.map((round) => batches / of(round).cpuSeconds))),
    "by CPU time": ratio(measured, (round) => round.peer.cpuSeconds / of(round).cpuSeconds),
    "by the clock": ratio(measured, (round) => round.peer.seconds / of(round).seconds),
  });
  console.table([
    rowOf("undici's pool, prepared bodies", ({ peer }) => peer),
    rowOf("sending", ({ sending }) => sending),
    rowOf("preparing and sending", ({ whole }) => whole),
    rowOf("the same and making the users", ({ withMaking }) => withMaking),
  ]);
  console.log(`ratios: undici's pool against the row, median of ${rounds} rounds`);
  console.log("bars by CPU time: sending 0.5, preparing and sending 0.35");
  const peaks = [few.peakBytes, median(measured.map(({ peakBytes }) => peakBytes))];
  const [least, most] = peaks.map((bytes) => Math.round(bytes / mebibyte));
  console.log(`peak memory: ${least} MiB for ${recipients / 10} recipients, ${most} MiB for ${recipients}`);
}

async function measureRound(recipients: number): Promise<Round> {
  const peer = await json("floor.ts", url, String(recipients / batchSize));
  const ours = await json("sender.ts", url, String(recipients));
  // The receiver forgets the times of its requests.
  await fetch(url).then((response) => response.arrayBuffer());
  if (ours.succeeded !== recipients) throw new Error(`${ours.succeeded} of ${recipients} succeeded`);
  const sending = { seconds: ours.sendingSeconds, cpuSeconds: ours.cpuSeconds };
  const withMaking = {
    seconds: ours.preparingSeconds + ours.sendingSeconds,
    cpuSeconds: ours.preparingCpuSeconds + ours.cpuSeconds,
  };
  const whole = {
    seconds: withMaking.seconds - ours.makingCpuSeconds,
    cpuSeconds: withMaking.cpuSeconds - ours.makingCpuSeconds,
  };
  return { peer, sending, whole, withMaking, peakBytes: Math.max(ours.preparingBytes, ours.sendingBytes) };
}

function ratio(measured: readonly Round[], of: (round: Round) => number): string {
  return median(measured.map(of)).toFixed(2);
}
