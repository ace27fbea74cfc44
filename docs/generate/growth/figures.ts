import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Range } from "./exponent.ts";

/** What one amount of work took. */
export interface GrowthPoint {
  /** In the unit of the path, such as lines. */
  readonly work: number;
  /** Median of the CPU time of the server, of all its threads. */
  readonly cpuMs: number;
  /** The least and the most CPU time of the middle half of the rounds. */
  readonly cpuRangeMs?: Range;
  /** Median of the time until the response, or the end. */
  readonly clockMs: number;
  readonly rounds: number;
  /** Load average of the machine, median of the rounds. */
  readonly load: number;
}

/** What a run measured of one path. */
export interface PathFigures {
  /** `yyyy-MM-dd` */
  readonly date: string;
  readonly node: string;
  readonly machine: string;
  /** In the order of their work. */
  readonly points: readonly GrowthPoint[];
  /** What the server replies beyond the limit of the path. */
  readonly refusal?: string;
}

/** The figures by the names of the paths. */
export type Growth = Readonly<Record<string, PathFigures>>;

/** The figures that `node bench/growth/run.ts` writes. */
export const growthFile = join(import.meta.dirname, "../../performance/growth.json");

export function readGrowth(): Growth {
  return JSON.parse(readFileSync(growthFile, "utf8")) as Growth;
}
