import { loadavg } from "node:os";
import { median } from "../harness/compare.ts";

/** Elapsed and CPU time. CPU time depends less on other work of the machine. */
interface Spent {
  readonly ms: number;
  readonly cpuMs: number;
}

/** One way to compute a result: the store's, or SQL by hand. */
export type Contestant = () => Promise<unknown>;

export interface Score {
  readonly oursMs: number;
  /** Time of the fastest peer. */
  readonly peerMs: number;
  readonly oursCpuMs: number;
  readonly peerCpuMs: number;
}

const bars = { mean: 1.3, worst: 2 };

export interface ContestOptions {
  readonly rounds: number;
  /** Returns the CPU time so far, in steps of 10 ms. Default: that of this process, in microseconds. */
  readonly cpuMs?: () => number;
}

/** Rounds that do not count: V8 has yet to compile what a request runs, and files are read for the first time. */
const firstRounds = 3;

/** Runs all contestants in turn, and returns the medians of their times: of CPU times means, if a clock is given. */
export async function compete(
  ours: Contestant,
  peers: readonly Contestant[],
  { rounds, cpuMs }: ContestOptions,
): Promise<Score> {
  const contestants = [ours, ...peers];
  const clock = cpuMs ?? ownCpuMs;
  for (let round = 0; round < firstRounds; round++) await inTurn(contestants, clock);
  const turns: (readonly Spent[])[] = [];
  for (let round = 0; round < rounds; round++) turns.push(await inTurn(contestants, clock));
  const [oursMs = 0, ...theirs] = contestants.map((_, at) => median(turns.map((turn) => turn[at]!.ms)));
  // Of steps of 10 ms, a mean says more.
  const middle = cpuMs === undefined ? median : mean;
  const [oursCpuMs = 0, ...theirsCpu] = contestants.map((_, at) =>
    middle(turns.map((turn) => turn[at]!.cpuMs)),
  );
  const best = theirs.indexOf(Math.min(...theirs));
  return { oursMs, peerMs: theirs[best]!, oursCpuMs, peerCpuMs: theirsCpu[best]! };
}

async function inTurn(contestants: readonly Contestant[], cpuMs: () => number): Promise<readonly Spent[]> {
  const spent: Spent[] = [];
  for (const contestant of contestants) spent.push(await spentBy(contestant, cpuMs));
  return spent;
}

async function spentBy(work: Contestant, cpuMs: () => number): Promise<Spent> {
  const [startMs, before] = [performance.now(), cpuMs()];
  await work();
  return { ms: performance.now() - startMs, cpuMs: cpuMs() - before };
}

export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

export function report(scores: ReadonlyMap<string, Score>, rounds: number): void {
  console.table(
    Array.from(scores, ([request, { oursMs, peerMs, oursCpuMs, peerCpuMs }]) => ({
      request,
      "ours ms": Math.round(oursMs),
      "peer ms": Math.round(peerMs),
      ratio: (oursMs / peerMs).toFixed(2),
      "ours CPU ms": Math.round(oursCpuMs),
      "ratio of CPU": (oursCpuMs / peerCpuMs).toFixed(2),
    })),
  );
  const ratios = [...scores.values()].map(({ oursMs, peerMs }) => oursMs / peerMs);
  const cpuRatios = [...scores.values()].map(({ oursCpuMs, peerCpuMs }) => oursCpuMs / peerCpuMs);
  const summary = (name: string, of: readonly number[]) =>
    `${name}: geometric mean ${geometricMean(of).toFixed(2)} (bar ${bars.mean}), worst ${Math.max(...of).toFixed(2)} (bar ${bars.worst})`;
  console.log(summary("time", ratios));
  console.log(summary("CPU ", cpuRatios));
  const load = loadavg().map((one) => one.toFixed(1));
  console.log(`medians of ${rounds} rounds; load average ${load.join(", ")}\n`);
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}
