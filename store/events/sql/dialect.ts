/**
 * The parts of SQL in which engines differ. All other SQL written here must work in every engine as it
 * is: SELECT, UNION ALL, LEFT JOIN, CASE, coalesce, aggregates with FILTER.
 */
export interface Dialect {
  /** Returns the placeholder of a bound value. No other text may contain such tokens. */
  placeholder(number: number, type: ValueType): string;
  /** Matches the placeholders of a text; the first group is the number. */
  readonly placeholders: RegExp;
  typeName(type: ValueType): string;
  cast(sql: string, type: ValueType | "count"): string;
  /** Divides and rounds down; the number is from 0 to `max`, the divisor an integer literal. */
  divideInteger(sql: string, divisor: number, max: number): string;
  /** An integer from 0 to below `count`, or null, with the type of a place in the range. */
  place(sql: string, count: number): string;
  isFinite(number: string): string;
  /** The same value, with a type whose aggregates of nothing are null. */
  nullable(value: string): string;
  /** The first value which is not null. */
  firstOf(values: readonly string[], type: ValueType): string;
  /** The text for a value, from two bound lists of equal length; without it, lists are joined. */
  readonly lookup?: (value: string, keys: string, texts: string) => string;
  contains(text: string, part: string): string;
  startsWith(text: string, beginning: string): string;
  /** Whether the text contains one of the texts of a bound list. */
  containsAny(text: string, parts: string): string;
  /** Whether the value equals one of a bound list. */
  isAnyOf(value: string, list: string): string;
  /**
   * As `isAnyOf`, for a column with few texts, if the engine then computes it once for each text. Default: as for other
   * columns.
   */
  readonly isAnyOfFew?: (text: string, list: string) => string;
  /** Matches anywhere in the text; RE2 syntax. */
  matches(text: string, pattern: string): string;

  list(items: readonly string[]): string;
  isEmptyList(list: string): string;
  /** The element at a 1-based position; null when there is none. */
  elementAt(list: string, position: string): string;
  /** A list of the same length, with the SQL for each element. */
  mapElements(list: string, text: (element: string) => string): string;
  hasAny(list: string, values: string): string;
  /** Each distinct element once, null included; a list of one null for an empty list. */
  distinctElements(list: string, type: ScalarType): string;
  /** The distinct tuples of lists of equal length; a list of one tuple of nulls for empty lists. */
  distinctTuples(lists: readonly string[], types: readonly ScalarType[]): string;
  tupleItem(tuple: string, position: number): string;
  /** Returns a row for each element, in a SELECT list. */
  unnest(list: string): string;
  /** A subquery in parentheses with a row for each position of lists of equal length. */
  rowsOf(columns: readonly { readonly name: string; readonly list: string }[]): string;
  /** A value which is equal for equal lists; null when the list that it was made from is empty. */
  listValue(from: string, list: string): string;
  /** The list without order and duplicates. */
  asSet(list: string): string;

  /** Undefined for engines which have no values of this kind. */
  readonly states?: AggregateStates;

  /** The bit at a computed position from 0 to 62, as a power of two. */
  bit(place: string): string;
  anyBit(mask: string, bits: bigint): string;
  /** The number of rows for which a condition holds. */
  countWhere(condition: string): string;
  /** Null without a mask which is not null. */
  bitOr(mask: string, filter: string | undefined): string;
  /** The quantile of doubles, interpolated linearly between neighbours. */
  quantile(value: string, fraction: string, filter: string | undefined): string;
  /** The nearest decimal number with six decimal places. The statement fails for doubles of 10^10 or above. */
  millionths(number: string): string;
  /** As `millionths`, but null instead of a failure. */
  millionthsOrNull(number: string): string;
  /** The double for millionths, or for a sum of them. */
  numberOfMillionths(units: string): string;
  /** The double for the millionths of a number, computed from the number; default: by `numberOfMillionths`. */
  readonly inMillionths?: (number: string) => string;
  /** A double below 2^62 as a whole number, whose sum can be larger; null or 0 where the condition does not hold. */
  remainder(number: string, isPresent: string): string;
  /**
   * Sums that fail unless all values are decimal numbers; undefined when the engine has none that are faster than those
   * of split values.
   */
  readonly decimalSums?: DecimalSums;
  /** Adds a list of doubles in sequence, from the lowest on. */
  sumInOrder(list: string): string;
  /**
   * Collects all values in one list, in the same order for all lists of a group. `number` and `place`
   * are numbers, of which only the first may be null; `list` are lists.
   */
  collect(value: string, of: "number" | "place" | "list"): string;
  flatten(lists: string): string;
  /** The aggregate which merges the values of shards. An engine without shards has none. */
  merge(column: string, merge: Merge): string;
  /**
   * The aggregate which adds lists of numbers that belong to the places of another list: a tuple of the places and the
   * sums of each list. Places without a number other than 0 may be missing. An engine without shards has none.
   */
  addByPlace?(places: string, lists: readonly string[]): string;
  /**
   * Follows the name of a common table expression which is computed once.
   * @param query one SELECT: of a UNION, only the last would have the settings that a dialect adds
   */
  asShared(query: string): string;
  /** The value of a column in rows which lack it. */
  missing(isList: boolean): string;
  /** The one value which is not missing. */
  onlyValue(value: string, isList: boolean): string;
}

/**
 * `number`: a double. `integer`: 64 bits, such as milliseconds of a time, and ids. `event`: the number
 * of an event.
 */
export type ScalarType = "number" | "integer" | "text" | "boolean" | "event";

export interface ValueType {
  readonly of: ScalarType;
  readonly isList: boolean;
}

export const scalar = (of: ScalarType): ValueType => ({ of, isList: false });
export const listOf = (of: ScalarType): ValueType => ({ of, isList: true });

/** Exact sums of decimal numbers with up to six places. */
export interface DecimalSums {
  /**
   * The millionths of a value and their size; 1e300 if the value has more than six places, so that the sum of sizes
   * shows it.
   */
  split(value: string): readonly [units: string, size: string];
  /** The sum, as that of `millionths`. The statement fails if sums of sizes are not exact. */
  sum(units: string, size: string, filter: string | undefined): string;
}

/** How the values of rows with equal keys become one. */
export type Merge =
  | "sum"
  | "min"
  | "max"
  /** Masks of bits. */
  | "bits"
  /** Lists of any length, one after the other. */
  | "concatenate"
  /** Lists of equal length, element by element. */
  | "addLists"
  /** States of quantiles. */
  | Fraction;

/** The SQL of the fraction of a quantile. */
export interface Fraction {
  readonly fraction: string;
}

/** What a state counts: different values, or different numbers of users. */
export type Counted = "values" | "users";

/**
 * Aggregates whose values stay mergeable. A state holds all distinct values, or all values, of its rows:
 * those of buckets make the number of the whole range, and collecting distinct values takes less time
 * than grouping by value.
 */
export interface AggregateStates {
  /** The number of distinct values, which can't be merged. */
  number(value: string, of: Counted, filter: string | undefined): string;
  /** The state of distinct values. */
  distinct(value: string, of: Counted, filter: string | undefined): string;
  quantile(value: string, fraction: string, filter: string | undefined): string;
  /** The number of one state. */
  value(state: string): string;
  /** The number of several states, as an aggregate. */
  merge(states: string, of: Counted | Fraction): string;
}
