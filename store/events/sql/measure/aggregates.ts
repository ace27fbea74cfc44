import type { Aggregate, Measure } from "../../scan.ts";
import type { Counted } from "../dialect.ts";
import { compileExpression } from "../expression/expression.ts";
import { asNumber } from "../expression/value.ts";
import { type Pass, withFilter } from "../pass.ts";
import { type CompileContext, Source } from "../source.ts";
import {
  columnCount,
  type ExactSum,
  joinParts,
  partNames,
  splitValue,
  sumParts,
  valueOfParts,
} from "./exact-sum.ts";
import type { GroupedRows } from "./merge.ts";

type Kind = Aggregate["kind"];
type Distinct = Extract<Aggregate, { kind: "distinct" }>;

/** A measure with its index in the scan. */
export interface Numbered {
  readonly index: number;
  readonly measure: Measure;
}

export const isOf = (kind: Kind) => (one: Numbered) => one.measure.aggregate.kind === kind;

export const exactSum = ({ dialect, sumForm = "split" }: CompileContext): ExactSum => ({
  dialect,
  form: sumForm,
});

/** Returns the SQL of what is aggregated in each row; several columns for a sum. */
export function valueTexts(aggregate: Aggregate, source: Source): readonly string[] {
  if (aggregate.kind === "count") return ["1"];
  if (aggregate.kind === "distinct") return [distinctText(aggregate, source)];
  const value = compileExpression(aggregate.of, source);
  const { dialect } = source.context;
  const number = () => dialect.nullable(asNumber(value, source.context));
  if (aggregate.kind === "sum") return splitValue(number(), exactSum(source.context));
  if (aggregate.kind !== "values") return [number()];
  const { sql, type } = value;
  return [type.isList ? `CASE WHEN NOT ${dialect.isEmptyList(sql)} THEN 1 END` : sql];
}

/** Returns the SQL of a value whose distinct values are counted. */
export function distinctText({ of, as }: Distinct, source: Source): string {
  const { dialect } = source.context;
  const { sql, type } = compileExpression(of, source);
  if (!type.isList) return sql;
  return dialect.listValue(sql, as === "set" ? dialect.asSet(sql) : sql);
}

/** Reports whether distinct values are those of the elements of lists, each of which becomes a row. */
export function isElements({ of, as }: Distinct, source: Source): boolean {
  return as === "element" && compileExpression(of, source).type.isList;
}

/**
 * Reports whether a measure needs groups by its value.
 *
 * Sets of shards would have to be sent, while their numbers of users add up.
 */
export function needsValues({ aggregate }: Measure, context: CompileContext): boolean {
  if (aggregate.kind !== "distinct") return false;
  const { dialect, stages, hasWindows = false } = context;
  if (dialect.states === undefined) return true;
  if (stages !== undefined && (hasWindows || !isOfUsers(aggregate))) return true;
  return isElements(aggregate, new Source(context));
}

/** Reports whether the distinct values are users. */
export const isOfUsers = ({ of }: Distinct): boolean => of.kind === "builtin" && of.name === "user_id";

const countedOf = (distinct: Distinct): Counted => (isOfUsers(distinct) ? "users" : "values");

/**
 * Reports whether the aggregate of a measure is a state, as `needsValues` leaves it. A state takes longer to compute
 * than its number, so there are only those which are merged.
 */
export function isState({ measure: { aggregate } }: Numbered, context: CompileContext): boolean {
  const { dialect, stages, mergesStretches = false } = context;
  if (dialect.states === undefined) return false;
  if (aggregate.kind === "quantile") return mergesStretches || stages !== undefined;
  return aggregate.kind === "distinct" && mergesStretches;
}

/** Returns aggregates, with columns named after the measures' indexes in the scan. */
export function aggregateTexts(
  measures: readonly Numbered[],
  pass: Pass,
  context: CompileContext,
): readonly string[] {
  const sum = exactSum(context);
  let next = 0;
  return measures.flatMap((one, place) => {
    const name = `x${one.index}`;
    const width = isOf("sum")(one) ? columnCount(sum) : 1;
    const values = pass.values.slice(next, next + width);
    next += width;
    if (isOf("sum")(one)) return sumParts(values, pass.filters[place], name, sum);
    return [`${aggregateText(one, values[0]!, pass.filters[place], context)} AS ${name}`];
  });
}

function aggregateText(
  one: Numbered,
  value: string,
  filter: string | undefined,
  context: CompileContext,
): string {
  const { dialect, parameters } = context;
  const { aggregate } = one.measure;
  const states = dialect.states!;
  switch (aggregate.kind) {
    case "distinct": {
      const of = countedOf(aggregate);
      return isState(one, context) ? states.distinct(value, of, filter) : states.number(value, of, filter);
    }
    case "quantile": {
      const fraction = parameters.bind("number", aggregate.fraction);
      return (isState(one, context) ? states : dialect).quantile(value, fraction, filter);
    }
    case "values":
      return withFilter(`count(${value})`, filter);
    case "min":
    case "max":
      return withFilter(`${aggregate.kind}(${value})`, filter);
    default:
      return withFilter("count(*)", filter);
  }
}

/** Returns the columns of `aggregateTexts`, and how those of several shards are merged. */
export function mergedColumns(
  measures: readonly Numbered[],
  context: CompileContext,
): GroupedRows["columns"] {
  const sum = exactSum(context);
  return measures.flatMap((one): GroupedRows["columns"] => {
    const name = `x${one.index}`;
    const { aggregate } = one.measure;
    switch (aggregate.kind) {
      case "sum":
        return partNames(name, sum).map((part, index) => ({
          name: part,
          merge: index < 2 ? "sum" : "concatenate",
        }));
      case "min":
      case "max":
        return [{ name, merge: aggregate.kind }];
      case "quantile":
        return [{ name, merge: { fraction: context.parameters.bind("number", aggregate.fraction) } }];
      default:
        return [{ name, merge: "sum" }];
    }
  });
}

/** Returns the number of a column of `aggregateTexts`. */
export function numberOf(one: Numbered, context: CompileContext): string {
  const name = `x${one.index}`;
  const sum = exactSum(context);
  if (isOf("sum")(one)) return valueOfParts(partNames(name, sum), sum);
  return isState(one, context) ? context.dialect.states!.value(name) : name;
}

/** Returns the aggregate of a column of `aggregateTexts`; undefined when its numbers can't be aggregated. */
export function totalText(one: Numbered, context: CompileContext): string | undefined {
  const name = `x${one.index}`;
  const { aggregate } = one.measure;
  const { dialect, parameters } = context;
  switch (aggregate.kind) {
    case "distinct":
      return isState(one, context) ? dialect.states?.merge(name, countedOf(aggregate)) : undefined;
    case "quantile":
      return isState(one, context)
        ? dialect.states?.merge(name, { fraction: parameters.bind("number", aggregate.fraction) })
        : undefined;
    case "sum": {
      const sum = exactSum(context);
      return valueOfParts(joinParts(name, sum), sum);
    }
    case "min":
    case "max":
      return `${aggregate.kind}(${name})`;
    default:
      return `sum(${name})`;
  }
}
