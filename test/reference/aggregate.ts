import type { Column, ColumnType } from "./columns.ts";
import { sumOf } from "./exact-sum.ts";
import type { ReferenceEvent } from "./ingest.ts";
import type { Scalar } from "./values.ts";

export const aggregations = [
  "TOTAL_TIMES",
  "TRIG_USER_NUM",
  "PER_CAPITA_TIMES",
  "SUM",
  "AVG",
  "PER_CAPITA_NUM",
  "MAX",
  "MIN",
  "DISTINCT",
  "TRUE",
  "FALSE",
  "IS_NOT_EMPTY",
  "IS_EMPTY",
  "ARRAY_DISTINCT",
  "ARRAY_SET_DISTINCT",
  "ARRAY_ITEM_DISTINCT",
  "MEDIAN",
  "PERCENTILE",
] as const;
export type Aggregation = (typeof aggregations)[number];

const numeric: readonly ColumnType[] = ["number"];
const single: readonly ColumnType[] = ["number", "text", "boolean", "time", "object", "object_group"];

/** Which types of properties each is for; those that are left out need none. */
const suited: Partial<Record<Aggregation, readonly ColumnType[]>> = {
  SUM: numeric,
  AVG: numeric,
  PER_CAPITA_NUM: numeric,
  MAX: numeric,
  MIN: numeric,
  MEDIAN: numeric,
  PERCENTILE: numeric,
  DISTINCT: single,
  TRUE: ["boolean"],
  FALSE: ["boolean"],
  IS_EMPTY: [...single, "list"],
  IS_NOT_EMPTY: [...single, "list"],
  ARRAY_DISTINCT: ["list"],
  ARRAY_SET_DISTINCT: ["list"],
  ARRAY_ITEM_DISTINCT: ["list"],
};

export function needsProperty(aggregation: Aggregation): boolean {
  return suited[aggregation] !== undefined;
}

export function suits(aggregation: Aggregation, column: Column): boolean {
  const type = column.group === undefined ? column.type : "list";
  return type === "nothing" || suited[aggregation]!.includes(type);
}

export interface Aggregated {
  readonly aggregation: Aggregation;
  readonly quota: Column | undefined;
  /** The column whose values count as users. */
  readonly entity: Column;
  /** 1 to 100. */
  readonly percentile: number;
}

/** One number of some events, null for no value. */
export function aggregate(of: Aggregated, events: readonly ReferenceEvent[]): number | null {
  const entities = () => new Set(valuesOf(of.entity, events)).size;
  const values = () => valuesOf(of.quota!, events);
  const numbers = () => values().filter((value) => typeof value === "number");
  switch (of.aggregation) {
    case "TOTAL_TIMES":
      return events.length;
    case "TRIG_USER_NUM":
      return entities();
    case "PER_CAPITA_TIMES":
      return ratio(events.length, entities());
    case "SUM":
      return sumOf(numbers());
    case "AVG":
      return ratio(sumOf(numbers()), numbers().length);
    case "PER_CAPITA_NUM":
      return ratio(sumOf(numbers()), entities());
    case "MAX":
      return numbers().reduce<number | null>((a, b) => (a === null || b > a ? b : a), null);
    case "MIN":
      return numbers().reduce<number | null>((a, b) => (a === null || b < a ? b : a), null);
    case "MEDIAN":
      return quantile(numbers(), 0.5);
    case "PERCENTILE":
      return quantile(numbers(), of.percentile / 100);
    case "DISTINCT":
      return new Set(values()).size;
    case "TRUE":
      return values().filter((value) => value === true).length;
    case "FALSE":
      return values().filter((value) => value === false).length;
    case "IS_NOT_EMPTY":
      return events.filter((event) => of.quota!.get(event) !== null).length;
    case "IS_EMPTY":
      return events.filter((event) => of.quota!.get(event) === null).length;
    case "ARRAY_DISTINCT":
      return new Set(listsOf(of.quota!, events).map((list) => JSON.stringify(list))).size;
    case "ARRAY_SET_DISTINCT":
      return new Set(listsOf(of.quota!, events).map((list) => JSON.stringify([...new Set(list)].sort())))
        .size;
    case "ARRAY_ITEM_DISTINCT":
      return new Set(listsOf(of.quota!, events).flat()).size;
  }
}

/** Single values; of lists none. */
function valuesOf(column: Column, events: readonly ReferenceEvent[]): Scalar[] {
  return events
    .map((event) => column.get(event))
    .filter((value): value is Scalar => value !== null && !Array.isArray(value));
}

function listsOf(column: Column, events: readonly ReferenceEvent[]): (readonly (Scalar | null)[])[] {
  const lists = events.map((event) => column.get(event));
  return lists.filter((value) => Array.isArray(value));
}

function ratio(of: number, by: number): number | null {
  return by === 0 ? null : of / by;
}

function quantile(numbers: readonly number[], fraction: number): number | null {
  const sorted = [...numbers].sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const at = (sorted.length - 1) * fraction;
  const low = sorted[Math.floor(at)]!;
  const high = sorted[Math.ceil(at)]!;
  const share = at - Math.floor(at);
  return share === 0 ? low : low * (1 - share) + high * share;
}
