import { anyColumn, booleanTypes, type ColumnType, listTypes, singleTypes } from "../../../filters/rules.ts";

const numbers: readonly ColumnType[] = ["number"];

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
  DISTINCT: singleTypes,
  TRUE: booleanTypes,
  FALSE: booleanTypes,
  IS_NOT_EMPTY: anyColumn,
  IS_EMPTY: anyColumn,
  ARRAY_DISTINCT: listTypes,
  ARRAY_SET_DISTINCT: listTypes,
  ARRAY_ITEM_DISTINCT: listTypes,
  MEDIAN: numbers,
  PERCENTILE: numbers,
} as const satisfies Readonly<Record<string, readonly ColumnType[] | undefined>>;

export type AggregationWord = keyof typeof aggregations;

export const aggregationWords = Object.keys(aggregations) as readonly AggregationWord[];

/** Returns the types of the property that an aggregation needs; undefined where it needs none. */
export function quotaTypesOf(word: string): readonly ColumnType[] | undefined {
  return aggregations[word as AggregationWord];
}
