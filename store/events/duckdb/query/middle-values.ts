import { createYield, mapYielding } from "../../../../base/async/yield.ts";
import { EventsMemoryError } from "../../events.ts";
import type { Aggregate, KeyValue, Measure, Scan } from "../../scan.ts";
import { scalar } from "../../sql/dialect.ts";
import { valueTexts } from "../../sql/measure/aggregates.ts";
import { divideScan } from "../../sql/measure/each-stretch.ts";
import type { CompiledScan } from "../../sql/measure/layout.ts";
import { Parameters } from "../../sql/parameters.ts";
import { compilePass, divideRange, groupBy, withKeys } from "../../sql/pass.ts";
import type { Relations } from "../../sql/relations.ts";
import { readResult } from "../../sql/result.ts";
import type { CompileContext } from "../../sql/source.ts";
import { bindStatement, duckdbDialect } from "./dialect.ts";
import type { Query } from "./query.ts";
import { ResultRows } from "./rows.ts";

export interface Quantile extends Measure {
  readonly aggregate: Extract<Aggregate, { readonly kind: "quantile" }>;
}

/** Finite numbers; the range is [low, high). */
export type Bounds = readonly [low: number, high: number];

/** All numbers but infinite ones and the highest. */
export const widest: Bounds = [-Number.MAX_VALUE, Number.MAX_VALUE];

type WithValues = Pick<CellValues, "values">;

/** Returns the number of values of some cells. */
export function sizeOf(cells: readonly WithValues[]): number {
  return cells.reduce((sum, { values }) => sum + values.length, 0);
}

/** Joins the values of some cells. */
export function join(cells: readonly WithValues[]): Float64Array {
  const joined = new Float64Array(sizeOf(cells));
  let at = 0;
  for (const { values } of cells) {
    joined.set(values, at);
    at += values.length;
  }
  return joined;
}

/** The values of one quantile in one group and bucket. */
export interface CellValues {
  readonly count: number;
  /** The number of values below the range. */
  readonly below: number;
  /** The values in the range, in no order; none of all cells when there are too many. */
  readonly values: Float64Array;
}

/** One group and bucket with events. */
export interface Cell {
  readonly keys: readonly KeyValue[];
  readonly bucket: number;
  /** By the place of the quantile. */
  readonly quantiles: readonly CellValues[];
}

/** A scan whose measures are quantiles. */
export interface QuantileScan extends Scan {
  readonly measures: readonly Quantile[];
}

interface MiddleWanted {
  readonly scan: QuantileScan;
  readonly relations: Relations;
  /** A range for each quantile. */
  readonly ranges: readonly Bounds[];
  /** With more values in the ranges, none are read. */
  readonly maxValues: number;
}

export interface MiddleValues {
  readonly count: number;
  cells(): AsyncIterable<Cell>;
}

/** The engine has too little memory for the lists of values. The failed statement ended the snapshot. */
export class ListMemoryError extends EventsMemoryError {}

/**
 * Counts the values of each cell, and those below a range, and collects those in it.
 * @throws ListMemoryError
 */
export async function readMiddleValues(
  query: Query,
  wanted: MiddleWanted,
  signal: AbortSignal,
): Promise<MiddleValues> {
  const compiled = compileMiddle(wanted);
  const result = await query.run(...bindStatement(compiled)).catch((error: unknown) => {
    if (error instanceof EventsMemoryError) throw new ListMemoryError(error.message, { cause: error });
    throw error;
  });
  const rows = new ResultRows(result);
  const { scan, relations } = wanted;
  return { count: rows.rowCount, cells };

  async function* cells(): AsyncGenerator<Cell> {
    const found = { rows, compiled, schema: relations.schema };
    const { groups } = await readResult(found, { ...scan, totals: false }, signal);
    const columnOf = (name: string) => compiled.columns.indexOf(name);
    const places = scan.measures.map((_, place) => names(place).map(columnOf));
    const yieldToEventLoop = createYield({ signal });
    for (const [row, keys] of groups.keys.entries()) {
      rows.moveTo(row);
      const quantiles = await mapYielding(
        places,
        ([count, below, values]): CellValues => {
          return { count: rows.number(count!), below: rows.number(below!), values: rows.numbers(values!) };
        },
        yieldToEventLoop,
      );
      yield { keys, bucket: rows.number(columnOf("b")), quantiles };
    }
  }
}

const names = (place: number) => [`n${place}`, `below${place}`, `found${place}`] as const;

function compileMiddle({ scan, relations, ranges, maxValues }: MiddleWanted): CompiledScan {
  const parameters = new Parameters(duckdbDialect);
  const context = { dialect: duckdbDialect, relations, parameters, zone: scan.zone };
  const numbered = scan.measures.map((measure, index) => ({ index, measure }));
  const each = divideScan(context, scan, divideRange(scan), numbered);
  const parts = (each ?? [scan]).map((one, stretch) =>
    compileCells(context, { ...scan, buckets: one.buckets }, ranges, each && stretch),
  );
  const { keys } = parts[0]!;
  const number = (text: string) => duckdbDialect.cast(text, scalar("number"));
  const columns = scan.measures.flatMap((_, place) => names(place));
  const found = scan.measures.map((_, place) => names(place)[2]);
  const length = found.map((name) => `coalesce(len(${name}), 0)`).join(" + ");
  const read = [
    ...keys.map(({ name, of }) => `${of === "integer" ? number(name) : name} AS ${name}`),
    "b",
    ...columns.map((name) =>
      found.includes(name as (typeof found)[number])
        ? `CASE WHEN sum(${length}) OVER () <= ${maxValues} THEN ${name} END AS ${name}`
        : `${number(name)} AS ${name}`,
    ),
  ];
  const rows = parts.map(({ sql }) => sql).join(" UNION ALL ");
  return {
    ...parameters.finish(`SELECT ${read.join(", ")} FROM (${rows}) x`),
    keys,
    columns: [...keys.map(({ name }) => name), "b", ...columns],
    measures: [],
    bucketCount: 0,
    stages: [],
    windows: undefined,
  };
}

/**
 * Compiles a row for each cell.
 *
 * The engine compares doubles by a function which tests both for NaN. Most of the time of a quantile goes there: three
 * million values by group and day take 77 ms with the sign of a difference, 126 with comparisons, and 168 when the
 * engine finds the median. A difference is 0 only between equal numbers, and NaN has the sign of what is above a range.
 * -0 counts as below a bound of 0, where -0 - 0 is -0; the quantile is then one of two equal numbers.
 *
 * @param stretch the place of the only stretch; otherwise rows are grouped by stretch
 */
function compileCells(context: CompileContext, scan: Scan, ranges: readonly Bounds[], stretch?: number) {
  const pass = compilePass(context, {
    scan,
    division: divideRange(scan),
    measures: scan.measures,
    values: (source) => scan.measures.flatMap(({ aggregate }) => valueTexts(aggregate, source)),
    needsBucket: stretch === undefined,
  });
  const columns = ranges.flatMap((range, place) => {
    const filter = pass.filters[place];
    const value =
      filter === undefined ? pass.values[place]! : `CASE WHEN ${filter} THEN ${pass.values[place]} END`;
    const [low, high] = range.map(
      (bound) => `signbit(${value} - ${context.parameters.bind("number", bound)})`,
    );
    const [count, below, found] = names(place);
    return [
      `count(${value}) AS ${count}`,
      `coalesce(sum(CAST(${low} AS INTEGER)), 0) AS ${below}`,
      `list(${value}) FILTER (WHERE ${low} <> ${high}) AS ${found}`,
    ];
  });
  const { keys, rows } = pass;
  const by = stretch === undefined ? ["b"] : [];
  const bucket = stretch === undefined ? "b" : `${context.dialect.place(String(stretch), stretch + 1)} AS b`;
  return { sql: `SELECT ${withKeys(keys, bucket, ...columns)} FROM ${rows} r${groupBy(keys, ...by)}`, keys };
}
