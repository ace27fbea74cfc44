import { loadavg } from "node:os";
import type { Range } from "../../docs/generate/growth/exponent.ts";
import type { GrowthPoint } from "../../docs/generate/growth/figures.ts";
import { median } from "../harness/compare.ts";
import type { Server } from "../harness/processes.ts";

export interface Cost {
  readonly cpuMs: number;
  readonly clockMs: number;
}

export interface MeasuredPoint {
  readonly work: number;
  readonly measure: () => Promise<Cost>;
}

export interface OpenPath extends AsyncDisposable {
  readonly points: readonly MeasuredPoint[];
  /** What the server replies beyond the limit of the path. */
  readonly refusal?: string;
}

/** A path of the service whose work grows. */
export interface GrowthPath {
  /** As in `docs/generate/growth/paths.ts`, which has its texts. */
  readonly name: string;
  readonly sizes: readonly number[];
  /** Default: 5. */
  readonly rounds?: number;
  /** Whether each measurement is of a process of its own, so that nothing is warmed up. Default: false. */
  readonly isCold?: boolean;
  readonly open: (sizes: readonly number[]) => Promise<OpenPath>;
}

/** The kernel counts the CPU time of a process in steps of 10 ms. */
const leastCpuMs = 300;
/** On a busy machine the server may get less. */
const mostClockMs = 3_000;
const mostTimes = 20_000;
const warmUpMs = 2_000;

export interface Settling {
  /** Resolves when the server has finished. Its CPU time until then is measured, the time by the clock is not. */
  readonly settle: () => Promise<void>;
  /** The least CPU time of the work. Default: 300 ms. */
  readonly leastMs?: number;
}

/** Returns a measurement that repeats work until it takes long enough. What `prepare` does first is not measured. */
export function repeatedly(
  server: Server,
  prepare: (times: number) => () => Promise<void>,
  { settle, leastMs = leastCpuMs }: Settling = { settle: async () => {} },
): () => Promise<Cost> {
  let times = 1;
  return async () => {
    for (;;) {
      const work = prepare(times);
      const [startMs, before] = [performance.now(), server.cpuSeconds()];
      await work();
      const clockMs = performance.now() - startMs;
      await settle();
      const cpuMs = (server.cpuSeconds() - before) * 1_000;
      // Work that was long enough before the server had compiled its code may be too short afterwards.
      const isLongEnough = cpuMs >= leastMs || clockMs >= mostClockMs || times === mostTimes;
      if (isLongEnough) return { cpuMs: cpuMs / times, clockMs: clockMs / times };
      times = Math.min(mostTimes, times * 4);
    }
  };
}

/** Returns work for `repeatedly` that needs no preparation. */
export const each = (work: () => Promise<void>) => (times: number) => async (): Promise<void> => {
  for (let time = 0; time < times; time++) await work();
};

interface Sample extends Cost {
  readonly load: number;
}

/** Measures all points of a path, in rounds whose order changes. */
export async function measurePoints(
  { points }: Pick<OpenPath, "points">,
  { rounds, isCold }: { readonly rounds: number; readonly isCold: boolean },
): Promise<readonly GrowthPoint[]> {
  const samples = points.map((): Sample[] => []);
  if (!isCold) for (const { measure } of points) await warmUp(measure);
  for (let round = 0; round < rounds; round++) {
    for (const at of orderOf(points.length, round)) {
      const cost = await points[at]!.measure();
      samples[at]!.push({ ...cost, load: loadavg()[0]! });
    }
  }
  return points.map(({ work }, at) => {
    const of = (pick: (sample: Sample) => number): number =>
      Number(median(samples[at]!.map(pick)).toPrecision(4));
    return {
      work,
      cpuMs: of(({ cpuMs }) => cpuMs),
      cpuRangeMs: middleHalf(samples[at]!.map(({ cpuMs }) => cpuMs)),
      clockMs: of(({ clockMs }) => clockMs),
      rounds,
      load: of(({ load }) => load),
    };
  });
}

/** Returns the least and the most of the middle half of values, which is all of them where they are three. */
function middleHalf(values: readonly number[]): Range {
  const sorted = values.toSorted((a, b) => a - b);
  const left = Math.floor((sorted.length - 1) / 4);
  const at = (index: number): number => Number(sorted.at(index)!.toPrecision(4));
  return { least: at(left), most: at(-1 - left) };
}

/** Measures in vain until the code of the server is compiled and its heap has its size. */
async function warmUp(measure: () => Promise<Cost>): Promise<void> {
  const startMs = performance.now();
  do await measure();
  while (performance.now() - startMs < warmUpMs);
}

/** Forward and backward in turn, and each round begins at another point. */
function orderOf(count: number, round: number): readonly number[] {
  const order = Array.from({ length: count }, (_, at) => (at + round) % count);
  return round % 2 === 0 ? order : order.reverse();
}

/** Returns the text of a reply that is beyond a limit. @throws Error if it was not refused */
export async function refusalIn(response: Response): Promise<string> {
  const text = await response.text();
  const { code = 0, return_code: refused = code } = JSON.parse(text) as Verdict;
  if (refused === 0) throw new Error(`${response.url}: not refused: ${text.slice(0, 1_000)}`);
  return text;
}

/** What replies of REST, of webhooks, of queries and of `/sync_server` have when they are refused. */
interface Verdict {
  readonly code?: number;
  readonly return_code?: number;
}

/** Reports a response that should have been successful. */
export async function textOf(response: Response): Promise<string> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text}`);
  return text;
}
