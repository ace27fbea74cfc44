import { formatCount } from "./format.ts";

export interface Range {
  readonly least: number;
  readonly most: number;
}

/** One amount of work and what it cost. */
interface Cost {
  readonly work: number;
  readonly cpuMs: number;
  /** The least and the most of the middle half of the rounds; without it only falling costs tell of noise. */
  readonly cpuRangeMs?: Range;
}

export type Growing =
  | "not measurably"
  | "not at all"
  | "less than the work"
  | "as the work"
  | "faster than the work";

/** From one amount of work to the next. */
export interface Step {
  readonly from: number;
  readonly to: number;
  /** The cost grows as the work to the power of this. */
  readonly exponent: number;
  readonly growing: Growing;
}

/** The exponents below which a step grows in this way: ten times the work costs 1.3, 7.9 and 12.6 times as much. */
const bounds: readonly (readonly [below: number, growing: Growing])[] = [
  [0.1, "not at all"],
  [0.9, "less than the work"],
  [1.1, "as the work"],
];

/** No work costs less for more of it: below this, rounds differ by more than the step. */
const leastExponent = -0.1;

/** Returns the steps between neighbours of points, which are in the order of their work. */
export function stepsOf(points: readonly Cost[]): readonly Step[] {
  return points.slice(1).map((to, at) => {
    const from = points[at]!;
    const exponent = exponentOf(from.cpuMs, to.cpuMs, to.work / from.work);
    const growing = isMeasurable(from, to, exponent) ? growingBy(exponent) : "not measurably";
    return { from: from.work, to: to.work, exponent, growing };
  });
}

const exponentOf = (fromMs: number, toMs: number, times: number): number =>
  Math.log(toMs / fromMs) / Math.log(times);

/** Says whether the rounds agree on the step: its exponents are of one class, or of two neighbours. */
function isMeasurable(from: Cost, to: Cost, exponent: number): boolean {
  const [before, after] = [rangeOf(from), rangeOf(to)];
  const times = to.work / from.work;
  const lowest = classOf(exponentOf(before.most, after.least, times));
  const highest = classOf(exponentOf(before.least, after.most, times));
  return exponent >= leastExponent && highest - lowest <= 1;
}

const rangeOf = ({ cpuMs, cpuRangeMs }: Cost): Range => cpuRangeMs ?? { least: cpuMs, most: cpuMs };

/** Returns the place among the classes, which begin with the one that grows least. */
function classOf(exponent: number): number {
  const at = bounds.findIndex(([below]) => exponent < below);
  return at < 0 ? bounds.length : at;
}

const growingBy = (exponent: number): Growing => bounds[classOf(exponent)]?.[1] ?? "faster than the work";

/** Says whether a step grows faster than the work, however much its rounds differ. */
export const isFaster = ({ exponent }: Step): boolean => growingBy(exponent) === "faster than the work";

/** Says in words how the cost grows. @param unit of the work, such as "lines" */
export function describeGrowth(steps: readonly Step[], unit: string): string {
  const changes = steps.filter(({ growing }, at) => growing !== steps[at - 1]?.growing);
  const parts = changes.map(({ growing }, at) => {
    const next = changes[at + 1];
    if (next !== undefined) return `${growing} up to ${formatCount(next.from)} ${unit}`;
    return at === 0 ? growing : `then ${growing}`;
  });
  return parts.join(", ");
}
