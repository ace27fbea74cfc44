import { PropertyType } from "../../../gen/engage/analysis/v1/catalog_pb.ts";

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

export const singleTypes: readonly ColumnType[] = [
  "number",
  "text",
  "boolean",
  "time",
  "object",
  "object_group",
];
export const listTypes: readonly ColumnType[] = ["list", "member"];
export const booleanTypes: readonly ColumnType[] = ["boolean"];
export const anyColumn: readonly ColumnType[] = [...singleTypes, ...listTypes];

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
const groups: readonly ColumnType[] = [...listTypes, "object_group"];

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
  isTrue: rule("none", booleanTypes),
  isFalse: rule("none", booleanTypes),
  regexMatch: rule("one", texts),
  notRegexMatch: rule("one", texts),
  relativeCurrentBetween: rule("two", times),
  relativeCurrentBefore: rule("one", times),
  relativeEventBefore: rule("one", times, true),
  relativeEventAfter: rule("one", times, true),
  relativeEventAbsolute: rule("one", times, true),
  relativeEventThatDay: rule("none", times),
  arrayIncludeItem: rule("many", listTypes),
  arrayNotIncludeItem: rule("many", listTypes),
  arrayItemPos: rule("two", listTypes),
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

/**
 * Returns the comparators that are valid for a column; those of all types for one of unknown type.
 * @param hasEvent whether there is an event whose time can be compared with
 */
export function comparatorsFor(type: ColumnType | undefined, hasEvent = true): readonly ComparatorWord[] {
  const words = Object.keys(comparators) as ComparatorWord[];
  return words
    .filter((word) => hasEvent || !word.startsWith("relativeEvent"))
    .filter((word) => type === undefined || comparatorRule(word)!.types.includes(type));
}

/** Returns the least number of fields for the literals of a comparator. */
export function fieldsOf(arity: Arity): number {
  return { none: 0, one: 1, two: 2, many: 1 }[arity];
}
