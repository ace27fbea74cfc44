import type { Scan } from "../../scan.ts";
import { scalar } from "../dialect.ts";
import type { CompiledKey } from "../keys.ts";
import { compilePass, divideRange, groupBy, type Pass, type RangeDivision, withKeys } from "../pass.ts";
import type { CompileContext } from "../source.ts";
import {
  aggregateTexts,
  isOf,
  isState,
  mergedColumns,
  type Numbered,
  numberOf,
  totalText,
  valueTexts,
} from "./aggregates.ts";
import { divideScan } from "./each-stretch.ts";
import type { MeasureLayout, Part } from "./layout.ts";
import { mergeShards } from "./merge.ts";

/** Compiled parts of a query, with a layout for each measure of the scan that they compute. */
export interface CompiledMeasures {
  readonly parts: readonly Part[];
  readonly layouts: ReadonlyMap<number, MeasureLayout>;
  /** A common table expression that the parts read. */
  readonly shared?: string | undefined;
}

/**
 * Compiles measures that aggregate functions compute from the rows of a group: one pass for the cells of
 * all measures, from which totals are computed, and one for the totals of quantiles.
 *
 * @param name the name of the common table expression
 */
export function compileGroupedAggregates(
  context: CompileContext,
  scan: Scan,
  division: RangeDivision,
  { measures, name }: { readonly measures: readonly Numbered[]; readonly name: string },
): CompiledMeasures {
  const layouts = new Map(measures.map((one) => [one.index, layoutOf(one, context, scan, division, name)]));
  if (isSingle(division)) return { parts: [compileWhole(context, scan, division, measures)], layouts };
  const quantiles = measures.filter((one) => isOf("quantile")(one) && !isState(one, context));
  const whole = scan.totals && quantiles.length > 0 ? [compileWhole(context, scan, division, quantiles)] : [];
  if (division.stretches.windows === undefined) {
    const { rows, keys } = compileStretches(context, scan, division, measures);
    return {
      parts: [compileCells(context, scan, { rows: `(${rows})`, keys, measures, name }), ...whole],
      layouts,
    };
  }
  const inStretches = measures.filter((one) => !quantiles.includes(one));
  const sums = measures.filter((one) => isOf("sum")(one) || isState(one, context));
  const windows =
    quantiles.length > 0 ? [compileWindows(context, scan, division, { measures: quantiles, name })] : [];
  if (inStretches.length === 0) return { parts: [...windows, ...whole], layouts };
  const { rows, keys } = compileStretches(context, scan, division, inStretches);
  const cells = compileCells(context, scan, {
    rows: name,
    keys,
    measures: inStretches,
    name,
    listed: inStretches.filter((one) => !sums.includes(one)),
  });
  const inWindows =
    sums.length > 0 ? [compileSumWindows(context, division, { rows: name, keys, measures: sums, name })] : [];
  const shared = `${name} ${context.dialect.asShared(rows)}`;
  return { parts: [cells, ...inWindows, ...windows, ...whole], layouts, shared };
}

const isSingle = ({ stretches }: RangeDivision): boolean =>
  stretches.count <= 1 && stretches.windows === undefined;

function layoutOf(
  one: Numbered,
  context: CompileContext,
  { totals }: Scan,
  division: RangeDivision,
  name: string,
): MeasureLayout {
  const { index, measure } = one;
  const { kind } = measure.aggregate;
  const isCount = kind === "count" || kind === "values" || kind === "distinct";
  const { windows } = division.stretches;
  const isMerged = kind === "sum" || isState(one, context);
  const isPerBucket = windows === undefined || kind === "quantile" || isMerged;
  const form = windows === undefined || !isPerBucket ? "places" : isMerged ? "places_s" : "places_w";
  const places = `${form}_${name}`;
  return {
    total: totals ? `t${index}` : undefined,
    cells: isSingle(division)
      ? { kind: "single", value: `t${index}` }
      : { kind: "sparse", places, values: `c${index}` },
    combine: isPerBucket ? undefined : kind === "min" || kind === "max" ? kind : "add",
    empty: isCount ? 0 : Number.NaN,
  };
}

/** Compiles a row per group and stretch. */
function compileStretches(
  context: CompileContext,
  scan: Scan,
  division: RangeDivision,
  measures: readonly Numbered[],
) {
  const scans = divideScan(context, scan, division, measures);
  if (scans !== undefined) return compileEachStretch(context, scans, measures);
  const pass = passOf(context, scan, division, measures, true);
  const columns = aggregateTexts(measures, pass, context);
  const sql = `SELECT ${withKeys(pass.keys, "b", ...columns)} FROM ${pass.rows} r${groupBy(pass.keys, "b")}`;
  const grouped = { sql, keys: pass.keys, by: ["b"], columns: mergedColumns(measures, context) };
  return { rows: mergeShards(context, grouped), keys: pass.keys };
}

/** As `compileStretches`, with a grouping of its own for each stretch. */
function compileEachStretch(context: CompileContext, scans: readonly Scan[], measures: readonly Numbered[]) {
  const compiled = scans.map((scan, stretch) => {
    const pass = passOf(context, scan, divideRange(scan), measures, false);
    const place = `${context.dialect.place(String(stretch), scans.length)} AS b`;
    const columns = withKeys(pass.keys, place, ...aggregateTexts(measures, pass, context));
    return { sql: `SELECT ${columns} FROM ${pass.rows} r${groupBy(pass.keys)}`, keys: pass.keys };
  });
  return { rows: compiled.map(({ sql }) => sql).join(" UNION ALL "), keys: compiled[0]!.keys };
}

interface Stretched {
  /** Rows of `compileStretches`: a name, or a subquery in parentheses. */
  readonly rows: string;
  readonly keys: readonly CompiledKey[];
  readonly measures: readonly Numbered[];
  /** The end of the names of columns which belong to several measures. */
  readonly name: string;
}

/** Compiles a row per group, with lists of the values of its stretches. */
function compileCells(
  context: CompileContext,
  scan: Scan,
  { rows, keys, measures, name, listed = measures }: Stretched & { readonly listed?: readonly Numbered[] },
): Part {
  const { dialect } = context;
  const number = (text: string) => dialect.cast(text, scalar("number"));
  const lists = listed.map((one) => {
    const cell = isOf("sum")(one) ? numberOf(one, context) : number(numberOf(one, context));
    return `${dialect.collect(cell, "number")} AS c${one.index}`;
  });
  const totals = measures.flatMap((one) => {
    const text = totalText(one, context);
    return text === undefined || !scan.totals ? [] : [`${number(text)} AS t${one.index}`];
  });
  return listPart(keys, [`${dialect.collect("b", "place")} AS places_${name}`, ...lists, ...totals], rows);
}

/** Compiles the numbers of windows from the parts of sums, and from the states, of their stretches. */
function compileSumWindows(
  context: CompileContext,
  division: RangeDivision,
  { rows, keys, measures, name }: Stretched,
): Part {
  const { dialect } = context;
  const inner = measures.map((one) => `${totalText(one, context)} AS y${one.index}`);
  const joined = `SELECT ${withKeys(keys, "w.w AS b", ...inner)} FROM ${rows} r ${joinWindows(context, division)}${groupBy(keys, "w.w")}`;
  const lists = measures.map(({ index }) => `${dialect.collect(`y${index}`, "number")} AS c${index}`);
  return listPart(keys, [`${dialect.collect("b", "place")} AS places_s_${name}`, ...lists], `(${joined})`);
}

/**
 * Compiles aggregates over overlapping buckets whose stretches can't be combined: each row counts once
 * for each window that contains it.
 */
function compileWindows(
  context: CompileContext,
  scan: Scan,
  division: RangeDivision,
  { measures, name }: Pick<Stretched, "measures" | "name">,
): Part {
  const { dialect } = context;
  const pass = passOf(context, scan, division, measures, true);
  const inner = aggregateTexts(measures, pass, context);
  const sql = `SELECT ${withKeys(pass.keys, "w.w AS b", ...inner)} FROM ${pass.rows} r ${joinWindows(context, division)}${groupBy(pass.keys, "w.w")}`;
  const grouped = { sql, keys: pass.keys, by: ["b"], columns: mergedColumns(measures, context) };
  const rows = mergeShards(context, grouped);
  const lists = measures.map(({ index }) => `${dialect.collect(`x${index}`, "number")} AS c${index}`);
  return listPart(pass.keys, [`${dialect.collect("b", "place")} AS places_w_${name}`, ...lists], `(${rows})`);
}

/** Joins rows `r` of a stretch `b` with each window `w.w` which contains the stretch. */
function joinWindows({ dialect, parameters }: CompileContext, { stretches }: RangeDivision): string {
  const pairs = (stretches.windows ?? []).flatMap(([from, to], window) =>
    Array.from({ length: to - from }, (_, offset) => [from + offset, window] as const),
  );
  const rows = (["s", "w"] as const).map((name, side) => ({
    name,
    list: parameters.bindList(
      "event",
      pairs.map((pair) => pair[side]!),
    ),
  }));
  return `JOIN ${dialect.rowsOf(rows)} w ON w.s = r.b`;
}

function listPart(keys: readonly CompiledKey[], columns: readonly string[], rows: string): Part {
  const sql = `(SELECT ${withKeys(keys, ...columns)} FROM ${rows} x${groupBy(keys)})`;
  return { sql, columns: columns.map(nameOf) };
}

/** Compiles a row per group over the whole range. */
function compileWhole(
  context: CompileContext,
  scan: Scan,
  division: RangeDivision,
  measures: readonly Numbered[],
): Part {
  const pass = passOf(context, scan, division, measures, false);
  const inner = aggregateTexts(measures, pass, context);
  const grouped = `SELECT ${withKeys(pass.keys, ...inner)} FROM ${pass.rows} r${groupBy(pass.keys)}`;
  const columnsOfShards = mergedColumns(measures, context);
  const rows = `(${mergeShards(context, { sql: grouped, keys: pass.keys, by: [], columns: columnsOfShards })})`;
  const columns = measures.map(
    (one) => `${context.dialect.cast(numberOf(one, context), scalar("number"))} AS t${one.index}`,
  );
  const sql = `(SELECT ${withKeys(pass.keys, ...columns)} FROM ${rows} x)`;
  return { sql, columns: columns.map(nameOf) };
}

function passOf(
  context: CompileContext,
  scan: Scan,
  division: RangeDivision,
  measures: readonly Numbered[],
  needsBucket: boolean,
): Pass {
  return compilePass(context, {
    scan,
    division,
    measures: measures.map(({ measure }) => measure),
    values: (source) => measures.flatMap(({ measure }) => valueTexts(measure.aggregate, source)),
    needsBucket,
  });
}

const nameOf = (column: string): string => column.slice(column.lastIndexOf(" ") + 1);
