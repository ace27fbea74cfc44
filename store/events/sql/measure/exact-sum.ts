import { type Dialect, scalar } from "../dialect.ts";
import { withFilter } from "../pass.ts";

/**
 * Sums of doubles that are the same in whatever order the rows come. Each value
 * is taken apart into millionths, which are whole numbers, and what the double
 * is beside them, in multiples of 2^-80. Both are added as integers; only their
 * sums become doubles. See docs/decisions/0018-exact-sums.md.
 */
export interface ExactSum {
  readonly dialect: Dialect;
  /** Takes values that are too large for millionths as well: those are added in ascending order. */
  readonly isWide: boolean;
}

/** 2^80, as an SQL literal of a double. */
const restScale = String(2 ** 80);
const parts = ["u", "r", "w"] as const;

const partsOf = ({ isWide }: ExactSum) => (isWide ? parts : parts.slice(0, 2));

/** What is added of a value, a text for each part. */
export function takeApart(value: string, { dialect, isWide }: ExactSum): readonly string[] {
  const units = isWide ? dialect.millionthsOrNull(value) : dialect.millionths(value);
  const rest = `(${value} - ${dialect.cast(units, scalar("number"))}) * ${restScale}`;
  const inRange = [units, dialect.cast(rest, scalar("integer"))];
  return isWide ? [...inRange, `CASE WHEN ${units} IS NULL THEN ${value} END`] : inRange;
}

/** Aggregates of the parts, named after the sum. @param columns those of `takeApart` */
export function sumParts(
  columns: readonly string[],
  filter: string | undefined,
  name: string,
  { dialect }: ExactSum,
): readonly string[] {
  return columns.map((column, part) => {
    if (part < 2) return `${withFilter(`sum(${column})`, filter)} AS ${name}${parts[part]}`;
    const isGiven = `${column} IS NOT NULL`;
    const condition = filter === undefined ? isGiven : `${filter} AND ${isGiven}`;
    return `${withFilter(dialect.collect(column), condition)} AS ${name}${parts[part]}`;
  });
}

/** Aggregates of several rows of `sumParts`. */
export function joinParts(name: string, sum: ExactSum): readonly string[] {
  return partsOf(sum).map((part, index) => {
    const column = `${name}${part}`;
    if (index < 2) return `sum(${column})`;
    return sum.dialect.flatten(withFilter(sum.dialect.collect(column), `${column} IS NOT NULL`));
  });
}

/** The double that the parts make, null where there was no value. @param texts those of `joinParts`, or names of `sumParts` */
export function valueOfParts([units, rest, wide]: readonly string[], { dialect }: ExactSum): string {
  const number = (text: string | undefined) => dialect.cast(text ?? "NULL", scalar("number"));
  const inRange = `(${number(units)} + ${number(rest)} / ${restScale})`;
  if (wide === undefined) return inRange;
  return `CASE WHEN ${dialect.isEmptyList(`coalesce(${wide}, ${dialect.list([])})`)} THEN ${inRange} ELSE coalesce(${inRange}, 0) + ${dialect.sumInOrder(wide)} END`;
}

export const partNames = (name: string, sum: ExactSum): readonly string[] =>
  partsOf(sum).map((part) => `${name}${part}`);
