import type { GroupKey, Scan } from "../../scan.ts";
import { type Dialect, scalar } from "../dialect.ts";
import { compileExpression } from "../expression/expression.ts";
import { asNumber } from "../expression/value.ts";
import { Parameters, type Statement } from "../parameters.ts";
import { compilePass, divideRange } from "../pass.ts";
import type { Relations } from "../relations.ts";
import type { ListColumn } from "../rows.ts";
import type { CompileContext, Source } from "../source.ts";

/** Distinct values are counted up to this number. */
export const maxDistinct = 20;

/** This many rows usually show that there are enough distinct values. */
const sampleRows = 20_480;

/** The statements which compute a summary. `range` returns one row with `low` and `high`. */
export interface CompiledSummary {
  readonly range: Statement;
  /** One column: the number of distinct values in the first rows. */
  readonly sample: Statement;
  /** One column: the number of distinct values in all rows, up to the maximum. */
  readonly distinct: Statement;
  /** One column: distinct values, up to the maximum. Those of shards are joined before they are counted. */
  readonly values: Statement;
}

/** Compiles the summary of an expression; undefined when there can be no value. */
export function compileSummary(
  scan: Scan,
  of: GroupKey,
  relations: Relations,
  dialect: Dialect,
): CompiledSummary | undefined {
  const parameters = new Parameters(dialect);
  const context: CompileContext = { dialect, relations, parameters, zone: scan.zone };
  if (scan.measures.length === 0 || of.kind === "predicate") return undefined;
  const elementsOf = (source: Source): readonly ListColumn[] => {
    const { sql, type } = compileExpression(of.of, source);
    const isNumeric = type.of === "number" || type.of === "integer";
    return type.isList && isNumeric ? [{ name: "v", sql, of: type.of }] : [];
  };
  const { rows, values: columns } = compilePass(context, {
    scan: { ...scan, keys: [] },
    division: divideRange(scan),
    measures: scan.measures,
    values: (source) =>
      elementsOf(source).length > 0 ? [] : [asNumber(compileExpression(of.of, source), context)],
    lists: elementsOf,
    needsBucket: false,
  });
  const [value = "v"] = columns;
  const present = `SELECT ${value} AS v FROM ${rows} r WHERE ${value} IS NOT NULL`;
  const values = (from: string) => `SELECT DISTINCT v FROM (${from}) r LIMIT ${maxDistinct}`;
  const count = (from: string) => `SELECT count(*) AS n FROM (${values(from)}) d`;
  const number = (text: string) => dialect.cast(text, scalar("number"));
  return {
    range: parameters.finish(
      `SELECT ${number("min(v)")} AS low, ${number("max(v)")} AS high FROM (${present}) r`,
    ),
    sample: parameters.finish(count(`${present} LIMIT ${sampleRows}`)),
    distinct: parameters.finish(count(present)),
    values: parameters.finish(values(present)),
  };
}
