import { wordOf, wordsOf } from "../../../../base/protobuf/enum-words.ts";
import { quoteList } from "../../../../base/text/quote.ts";
import { Aggregation, AggregationSchema } from "../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import type { Aggregate, Expression, Measure, Predicate } from "../../../../store/events/events.ts";
import { type Column, type ColumnType, describeType, storedValue } from "../column/column.ts";
import { allOf } from "../context.ts";
import type { Problems } from "../problems.ts";
import type { Window } from "../time/window.ts";
import type { Operator } from "./arithmetic.ts";
import type { MeasureRef, MeasureSet } from "./measure-set.ts";

/** How the number of a metric is computed from measures. "No value" propagates through operators, as NaN does. */
export type Computation =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "measure"; readonly ref: MeasureRef; readonly nullIsZero: boolean }
  | {
      readonly kind: "binary";
      readonly operator: Operator;
      readonly left: Computation;
      readonly right: Computation;
    };

/** The events of one operand and the scan that counts them. */
export interface OperandEvents {
  /** Numbers of events; undefined for any. */
  readonly events: readonly number[] | undefined;
  readonly where: Predicate;
  readonly isSplit: boolean;
  readonly window: Window | undefined;
}

/** The aggregation of an operand. */
export interface OperandValue {
  readonly aggregation: Aggregation;
  /** Undefined where the aggregation needs none. */
  readonly quota: Column | undefined;
  /** The entity that is counted as a user. */
  readonly entity: Expression;
  /** 1 to 100. */
  readonly percentile: number;
}

const numeric: readonly ColumnType[] = ["number"];
const single: readonly ColumnType[] = ["number", "text", "boolean", "time", "object", "object_group"];
const lists: readonly ColumnType[] = ["list"];
const any: readonly ColumnType[] = [...single, ...lists];

/** Types of properties that an aggregation takes; other aggregations need no property. */
const quotaTypes: Partial<Record<Aggregation, readonly ColumnType[]>> = {
  [Aggregation.SUM]: numeric,
  [Aggregation.AVG]: numeric,
  [Aggregation.PER_CAPITA_NUM]: numeric,
  [Aggregation.MAX]: numeric,
  [Aggregation.MIN]: numeric,
  [Aggregation.MEDIAN]: numeric,
  [Aggregation.PERCENTILE]: numeric,
  [Aggregation.DISTINCT]: single,
  [Aggregation.TRUE]: ["boolean"],
  [Aggregation.FALSE]: ["boolean"],
  [Aggregation.IS_EMPTY]: any,
  [Aggregation.IS_NOT_EMPTY]: any,
  [Aggregation.ARRAY_DISTINCT]: lists,
  [Aggregation.ARRAY_SET_DISTINCT]: lists,
  [Aggregation.ARRAY_ITEM_DISTINCT]: lists,
};

export function needsQuota(aggregation: Aggregation): boolean {
  return quotaTypes[aggregation] !== undefined;
}

export function countsUsers(aggregation: Aggregation): boolean {
  return (
    aggregation === Aggregation.TRIG_USER_NUM ||
    aggregation === Aggregation.PER_CAPITA_TIMES ||
    aggregation === Aggregation.PER_CAPITA_NUM
  );
}

/** Checks whether a column can be aggregated; refuses it otherwise. @param field path of the name of the column */
export function checkQuota(
  aggregation: Aggregation,
  column: Column,
  field: string,
  name: string,
  problems: Problems,
): boolean {
  const fits = (one: Aggregation): boolean => {
    const types = quotaTypes[one];
    // A record has a list of values of a member.
    const type = column.member === undefined ? column.type : "list";
    return types !== undefined && (column.type === "nothing" || types.includes(type));
  };
  if (fits(aggregation)) return true;
  const valid = wordsOf(AggregationSchema).filter((_, i) => fits((i + 1) as Aggregation));
  const word = wordOf(AggregationSchema, aggregation);
  problems.refuse(
    field,
    name,
    `is a ${describeType(column)}, which can't be aggregated by ${word}, valid are ${quoteList(valid)}`,
  );
  return false;
}

/** Adds the measures that an operand needs. */
export function planOperand(value: OperandValue, of: OperandEvents, book: MeasureSet): Computation {
  const quota: Expression = value.quota === undefined ? { kind: "null" } : storedValue(value.quota);
  const add = (aggregate: Aggregate, also: readonly Predicate[] = []): MeasureRef => {
    const measure: Measure = { events: of.events, where: allOf([of.where, ...also]), aggregate };
    return book.add(of, measure);
  };
  const measure = (aggregate: Aggregate, ...also: readonly Predicate[]): Computation => ({
    kind: "measure",
    ref: add(aggregate, also),
    nullIsZero: false,
  });
  const distinct = (as: "value" | "list" | "set" | "element") => measure({ kind: "distinct", of: quota, as });
  const sum = (): Computation => ({
    kind: "measure",
    ref: add({ kind: "sum", of: quota }),
    nullIsZero: true,
  });
  const users = () => measure({ kind: "distinct", of: value.entity, as: "value" });
  const quantile = (percentile: number) =>
    measure({ kind: "quantile", of: quota, fraction: percentile / 100 });
  switch (value.aggregation) {
    case Aggregation.TRIG_USER_NUM:
      return users();
    case Aggregation.PER_CAPITA_TIMES:
      return ratio(measure({ kind: "count" }), users());
    case Aggregation.SUM:
      return sum();
    case Aggregation.AVG:
      return ratio(sum(), measure({ kind: "values", of: quota }));
    case Aggregation.PER_CAPITA_NUM:
      return ratio(sum(), users());
    case Aggregation.MAX:
      return measure({ kind: "max", of: quota });
    case Aggregation.MIN:
      return measure({ kind: "min", of: quota });
    case Aggregation.DISTINCT:
      return distinct("value");
    case Aggregation.TRUE:
      return measure({ kind: "count" }, { kind: "in", of: quota, values: [true] });
    case Aggregation.FALSE:
      return measure({ kind: "count" }, { kind: "in", of: quota, values: [false] });
    case Aggregation.IS_NOT_EMPTY:
      return measure({ kind: "values", of: quota });
    case Aggregation.IS_EMPTY:
      return measure({ kind: "count" }, { kind: "isNull", of: quota });
    case Aggregation.ARRAY_DISTINCT:
      return distinct("list");
    case Aggregation.ARRAY_SET_DISTINCT:
      return distinct("set");
    case Aggregation.ARRAY_ITEM_DISTINCT:
      return distinct("element");
    case Aggregation.MEDIAN:
      return quantile(50);
    case Aggregation.PERCENTILE:
      return quantile(value.percentile);
    default:
      return measure({ kind: "count" });
  }
}

function ratio(left: Computation, right: Computation): Computation {
  return { kind: "binary", operator: "/", left, right };
}
