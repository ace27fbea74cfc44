import { PropertyType } from "../../../../../gen/engage/analysis/v1/catalog_pb.ts";

/** The type of a column as conditions and aggregations distinguish it. */
export type ColumnType =
  | "number"
  | "text"
  | "time"
  | "boolean"
  | "list"
  | "object"
  | "object_group"
  /** A member of an object group, of which an event has several values. */
  | "member"
  | "cohort";

const columnTypes: Readonly<Partial<Record<PropertyType, ColumnType>>> = {
  [PropertyType.NUMBER]: "number",
  [PropertyType.TEXT]: "text",
  [PropertyType.TIME]: "time",
  [PropertyType.BOOLEAN]: "boolean",
  [PropertyType.LIST]: "list",
  [PropertyType.OBJECT]: "object",
  [PropertyType.OBJECT_GROUP]: "object_group",
};

/** Returns undefined for a column without values, for which everything is valid. */
export function columnTypeOf(type: PropertyType, group: string): ColumnType | undefined {
  return group === "" ? columnTypes[type] : "member";
}

const single: readonly ColumnType[] = ["number", "text", "boolean", "time", "object", "object_group"];
const lists: readonly ColumnType[] = ["list", "member"];
const numbers: readonly ColumnType[] = ["number"];
const booleans: readonly ColumnType[] = ["boolean"];
const anyColumn: readonly ColumnType[] = [...single, ...lists];

/** The aggregations in the order of the contract, with the types of the property that each needs, if any. */
export const aggregations = {
  TOTAL_TIMES: undefined,
  TRIG_USER_NUM: undefined,
  PER_CAPITA_TIMES: undefined,
  SUM: numbers,
  AVG: numbers,
  PER_CAPITA_NUM: numbers,
  MAX: numbers,
  MIN: numbers,
  DISTINCT: single,
  TRUE: booleans,
  FALSE: booleans,
  IS_NOT_EMPTY: anyColumn,
  IS_EMPTY: anyColumn,
  ARRAY_DISTINCT: lists,
  ARRAY_SET_DISTINCT: lists,
  ARRAY_ITEM_DISTINCT: lists,
  MEDIAN: numbers,
  PERCENTILE: numbers,
} as const satisfies Readonly<Record<string, readonly ColumnType[] | undefined>>;

export type AggregationWord = keyof typeof aggregations;

export const aggregationWords = Object.keys(aggregations) as readonly AggregationWord[];

/** Returns the types of the property that an aggregation needs; undefined where it needs none. */
export function quotaTypesOf(word: string): readonly ColumnType[] | undefined {
  return aggregations[word as AggregationWord];
}

/** How many literals a comparator takes. */
export type Arity = "none" | "one" | "two" | "many";

interface ComparatorRule {
  readonly arity: Arity;
  readonly types: readonly ColumnType[];
  /** Whether its literal has a unit of time. */
  readonly hasUnit: boolean;
}

const rule = (arity: Arity, types: readonly ColumnType[], hasUnit = false): ComparatorRule => ({
  arity,
  types,
  hasUnit,
});
const values: readonly ColumnType[] = ["number", "text", "boolean", "time", "member"];
const texts: readonly ColumnType[] = ["text"];
const ordered: readonly ColumnType[] = ["number", "time"];
const times: readonly ColumnType[] = ["time"];
const cohorts: readonly ColumnType[] = ["cohort"];
const groups: readonly ColumnType[] = [...lists, "object_group"];

/** The comparators in the order of the contract. */
export const comparators = {
  equal: rule("many", values),
  notEqual: rule("many", values),
  include: rule("many", texts),
  notInclude: rule("many", texts),
  less: rule("one", ordered),
  greater: rule("one", ordered),
  range: rule("two", ordered),
  isNull: rule("none", anyColumn),
  notNull: rule("none", anyColumn),
  isTrue: rule("none", booleans),
  isFalse: rule("none", booleans),
  regexMatch: rule("one", texts),
  notRegexMatch: rule("one", texts),
  relativeCurrentBetween: rule("two", times),
  relativeCurrentBefore: rule("one", times),
  relativeEventBefore: rule("one", times, true),
  relativeEventAfter: rule("one", times, true),
  relativeEventAbsolute: rule("one", times, true),
  relativeEventThatDay: rule("none", times),
  arrayIncludeItem: rule("many", lists),
  arrayNotIncludeItem: rule("many", lists),
  arrayItemPos: rule("two", lists),
  arrayIsNull: rule("none", groups),
  arrayNotNull: rule("none", groups),
  belongToCluster: rule("none", cohorts),
  notBelongToCluster: rule("none", cohorts),
} as const satisfies Readonly<Record<string, ComparatorRule>>;

export type ComparatorWord = keyof typeof comparators;

/** Returns undefined for a word that is no comparator. */
export function comparatorRule(word: string): ComparatorRule | undefined {
  return Object.hasOwn(comparators, word) ? comparators[word as ComparatorWord] : undefined;
}

/** Returns the comparators that are valid for a column; all for one of unknown type. */
export function comparatorsFor(type: ColumnType | undefined): readonly ComparatorWord[] {
  const words = Object.keys(comparators) as ComparatorWord[];
  return words.filter((word) => type === undefined || comparatorRule(word)!.types.includes(type));
}

/** Returns the least number of fields for the literals of a comparator. */
export function fieldsOf(arity: Arity): number {
  return { none: 0, one: 1, two: 2, many: 1 }[arity];
}
