/**
 * What an engine's SQL says in its own way. All else that is written here, it
 * has to take as it stands: SELECT, UNION ALL, LEFT JOIN, CASE, coalesce,
 * aggregates with FILTER, and `||` of nothing.
 */
export interface Dialect {
  /** Of a bound value. Tokens of these must not occur in any other text. */
  placeholder(number: number): string;
  /** Finds the placeholders of a text; the first group is the number. */
  readonly placeholders: RegExp;
  typeName(type: ValueType): string;
  cast(sql: string, type: ValueType | "count"): string;
  /** Rounds down; the number is from 0 to `max`, the divisor an integer literal. */
  divideInteger(sql: string, divisor: number, max: number): string;
  isFinite(number: string): string;
  contains(text: string, part: string): string;
  /** Whether the text contains any text of a bound list. */
  containsAny(text: string, parts: string): string;
  /** Whether the value equals any of a bound list. */
  isAnyOf(value: string, list: string): string;
  /** RE2 syntax, found anywhere. */
  matches(text: string, pattern: string): string;

  list(items: readonly string[]): string;
  isEmptyList(list: string): string;
  /** From 1; null when there is none. */
  elementAt(list: string, position: string): string;
  /** A list as long, of what the text says of each element. */
  mapElements(list: string, text: (element: string) => string): string;
  hasAny(list: string, values: string): string;
  /** Each different element once, null as one of them; a list of one null when there is nothing. */
  distinctElements(list: string, type: ScalarType): string;
  /** The different tuples of lists of equal length; a list of one tuple of nulls when there is nothing. */
  distinctTuples(lists: readonly string[], types: readonly ScalarType[]): string;
  tupleItem(tuple: string, position: number): string;
  /** In a SELECT list: a row for each element. */
  unnest(list: string): string;
  /** Without order and repetition. */
  asSet(list: string): string;

  /** A power of two, or the bit at a place that is computed, from 0 to 62. */
  bit(place: string): string;
  anyBit(mask: string, bits: bigint): string;
  bitOr(mask: string, filter: string | undefined): string;
  /** Of doubles, linear between neighbours. */
  quantile(value: string, fraction: string, filter: string | undefined): string;
  /** The nearest decimal number with six places. Fails, so that the statement does, for doubles that are not below 10^10. */
  millionths(number: string): string;
  /** As `millionths`, and null where that fails. */
  millionthsOrNull(number: string): string;
  /** Of a list of doubles: added one after the other, from the lowest on. */
  sumInOrder(list: string): string;
  /** All values in one list, in the same order for all lists of a group. */
  collect(value: string): string;
  flatten(lists: string): string;
  /** Behind the name of a common table expression that is computed once. */
  asShared(query: string): string;
  /** The one value that is not null. */
  theOne(value: string): string;
}

/** `number`: a double. `integer`: 64 bits, such as milliseconds of a time, and ids. `event`: the number of an event. */
export type ScalarType = "number" | "integer" | "text" | "boolean" | "event";

export interface ValueType {
  readonly of: ScalarType;
  readonly isList: boolean;
}

export const scalar = (of: ScalarType): ValueType => ({ of, isList: false });
export const listOf = (of: ScalarType): ValueType => ({ of, isList: true });
