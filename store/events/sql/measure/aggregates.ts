import type { Aggregate, Measure } from "../../scan.ts";
import { compileExpression } from "../expression/expression.ts";
import { asNumber } from "../expression/value.ts";
import { type Pass, withFilter } from "../pass.ts";
import type { CompileContext, Source } from "../source.ts";
import { type ExactSum, joinParts, partNames, splitValue, sumParts, valueOfParts } from "./exact-sum.ts";
import type { GroupedRows } from "./merge.ts";

export type Kind = Exclude<Aggregate["kind"], "distinct">;
/** A measure with its index in the scan. */
export interface Numbered {
  readonly index: number;
  readonly measure: Measure;
}

export const isOf = (kind: Kind) => (one: Numbered) => one.measure.aggregate.kind === kind;

export const exactSum = ({ dialect, hasWideSums = false }: CompileContext): ExactSum => ({
  dialect,
  isWide: hasWideSums,
});

/** Returns the SQL of what is aggregated in each row; several columns for a sum. */
export function valueTexts(aggregate: Aggregate, source: Source): readonly string[] {
  if (aggregate.kind === "count") return ["1"];
  const value = compileExpression(aggregate.of, source);
  const { dialect } = source.context;
  const number = () => dialect.nullable(asNumber(value, source.context));
  if (aggregate.kind === "sum") return splitValue(number(), exactSum(source.context));
  if (aggregate.kind !== "values") return [number()];
  const { sql, type } = value;
  return [type.isList ? `CASE WHEN NOT ${dialect.isEmptyList(sql)} THEN 1 END` : sql];
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
    const width = isOf("sum")(one) ? partNames(name, sum).length : 1;
    const values = pass.values.slice(next, next + width);
    next += width;
    if (isOf("sum")(one)) return sumParts(values, pass.filters[place], name, sum);
    return [`${aggregateText(one, values[0]!, pass.filters[place], context)} AS ${name}`];
  });
}

function aggregateText(
  { measure }: Numbered,
  value: string,
  filter: string | undefined,
  { dialect, parameters, stages }: CompileContext,
): string {
  const { aggregate } = measure;
  switch (aggregate.kind) {
    case "quantile": {
      const fraction = parameters.bind("number", aggregate.fraction);
      return stages === undefined
        ? dialect.quantile(value, fraction, filter)
        : dialect.quantileState(value, fraction, filter);
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

/** Returns the aggregate over all stretches of a group. */
export function totalText(kind: Kind, cell: string, sum: ExactSum): string | undefined {
  if (kind === "quantile") return undefined;
  if (kind === "sum") return valueOfParts(joinParts(cell, sum), sum);
  return kind === "min" || kind === "max" ? `${kind}(${cell})` : `sum(${cell})`;
}
