import { formatCount } from "./format.ts";

/** One amount of work and what it cost. */
interface Cost {
  readonly work: number;
  readonly cpuMs: number;
}

export type Growing = "not at all" | "less than the work" | "as the work" | "faster than the work";

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

/** Returns the steps between neighbours of points, which are in the order of their work. */
export function stepsOf(points: readonly Cost[]): readonly Step[] {
  return points.slice(1).map((to, at) => {
    const from = points[at]!;
    const exponent = Math.log(to.cpuMs / from.cpuMs) / Math.log(to.work / from.work);
    return { from: from.work, to: to.work, exponent, growing: growingBy(exponent) };
  });
}

function growingBy(exponent: number): Growing {
  return bounds.find(([below]) => exponent < below)?.[1] ?? "faster than the work";
}

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
