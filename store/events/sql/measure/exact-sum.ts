import { type Dialect, scalar } from "../dialect.ts";
import { withFilter } from "../pass.ts";
import type { SumForm } from "../sum-forms.ts";

/**
 * Exact sums of doubles, which do not depend on the order of rows. Each value is split into millionths,
 * which are whole numbers, and the remainder of the double in multiples of 2^-80. Both are added as
 * integers; only their sums become doubles. Decimal numbers have no remainder, so the form `decimal` adds their
 * millionths alone. See docs/decisions/0018-exact-sums.md.
 */
export interface ExactSum {
  readonly dialect: Dialect;
  /** In the form `wide`, values too large for millionths are added in ascending order. */
  readonly form: SumForm;
}

/** 2^80, as the SQL literal of a double. */
const remainderScale = String(2 ** 80);
const parts = ["u", "r", "w"] as const;

const partCounts = { decimal: 1, split: 2, wide: 3 } as const satisfies Record<SumForm, number>;
const partsOf = ({ form }: ExactSum) => parts.slice(0, partCounts[form]);

/** Returns the number of columns of `splitValue`. */
export const columnCount = ({ form }: ExactSum): number => (form === "wide" ? 3 : 2);

/** Splits a value into its parts; returns the SQL of each. */
export function splitValue(value: string, { dialect, form }: ExactSum): readonly string[] {
  if (form === "decimal") return dialect.decimalSums!.split(value);
  const isWide = form === "wide";
  const units = isWide ? dialect.millionthsOrNull(value) : dialect.millionths(value);
  const nearest = (isWide ? undefined : dialect.inMillionths?.(value)) ?? dialect.numberOfMillionths(units);
  const remainder = `(${value} - ${nearest}) * ${remainderScale}`;
  const inRange = [units, dialect.remainder(remainder, `${value} <> ${nearest}`)];
  return isWide ? [...inRange, `CASE WHEN ${units} IS NULL THEN ${value} END`] : inRange;
}

/**
 * Aggregates the parts of a sum, named after it.
 * @param columns the result of `splitValue`
 */
export function sumParts(
  columns: readonly string[],
  filter: string | undefined,
  name: string,
  { dialect, form }: ExactSum,
): readonly string[] {
  if (form === "decimal") {
    const [units, size] = columns as readonly [string, string];
    return [`${dialect.decimalSums!.sum(units, size, filter)} AS ${name}u`];
  }
  return columns.map((column, part) => {
    if (part < 2) return `${withFilter(`sum(${column})`, filter)} AS ${name}${parts[part]}`;
    const isGiven = `${column} IS NOT NULL`;
    const condition = filter === undefined ? isGiven : `${filter} AND ${isGiven}`;
    return `${withFilter(dialect.collect(column, "number"), condition)} AS ${name}${parts[part]}`;
  });
}

/** Aggregates several rows of `sumParts`. */
export function joinParts(name: string, sum: ExactSum): readonly string[] {
  return partsOf(sum).map((part, index) => {
    const column = `${name}${part}`;
    if (index < 2) return `sum(${column})`;
    return sum.dialect.flatten(withFilter(sum.dialect.collect(column, "list"), `${column} IS NOT NULL`));
  });
}

/**
 * Returns the double for the parts of a sum, null without a value.
 * @param texts the result of `joinParts`, or names of `sumParts`
 */
export function valueOfParts([units, remainder, wide]: readonly string[], { dialect }: ExactSum): string {
  const ofRemainder = dialect.cast(`coalesce(${remainder ?? "NULL"}, 0)`, scalar("number"));
  const inRange = `(${dialect.numberOfMillionths(units ?? "NULL")} + ${ofRemainder} / ${remainderScale})`;
  if (wide === undefined) return inRange;
  return `CASE WHEN ${dialect.isEmptyList(`coalesce(${wide}, ${dialect.list([])})`)} THEN ${inRange} ELSE coalesce(${inRange}, 0) + ${dialect.sumInOrder(wide)} END`;
}

export const partNames = (name: string, sum: ExactSum): readonly string[] =>
  partsOf(sum).map((part) => `${name}${part}`);
