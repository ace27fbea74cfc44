import type { Aggregate, Measure, Scan } from "../scan.ts";
import { scalar } from "./dialect.ts";
import { compileExpression } from "./expression.ts";
import type { MeasureLayout, Part } from "./layout.ts";
import { type Cut, compilePass, groupBy, type Pass, withFilter, withKeys } from "./pass.ts";
import type { Source, Surroundings } from "./source.ts";
import { asNumber } from "./value.ts";

type Kind = Exclude<Aggregate["kind"], "distinct">;
/** A measure by its place in the scan. */
export interface Numbered {
  readonly index: number;
  readonly measure: Measure;
}

/** Parts with a layout for each measure of the scan that they answer. */
export interface Answered {
  readonly parts: readonly Part[];
  readonly layouts: ReadonlyMap<number, MeasureLayout>;
}

/**
 * Counts, sums, extremes and quantiles: one pass for the cells of all, from
 * which totals are made, and one for the totals of quantiles.
 */
export function compileAdditive(
  surroundings: Surroundings,
  scan: Scan,
  cut: Cut,
  measures: readonly Numbered[],
): Answered {
  const isSingle = cut.stretches.count <= 1 && cut.stretches.windows === undefined;
  const quantiles = measures.filter(({ measure }) => measure.aggregate.kind === "quantile");
  const isOverlapping = cut.stretches.windows !== undefined;
  const inCells = isOverlapping ? measures.filter((one) => !quantiles.includes(one)) : measures;
  const parts: Part[] = [];
  if (isSingle) parts.push(compileWhole(surroundings, scan, cut, measures));
  else {
    if (inCells.length > 0) parts.push(compileCells(surroundings, scan, cut, inCells));
    if (isOverlapping && quantiles.length > 0) parts.push(compileWindows(surroundings, scan, cut, quantiles));
    if (scan.totals && quantiles.length > 0) parts.push(compileWhole(surroundings, scan, cut, quantiles));
  }
  return { parts, layouts: new Map(measures.map((one) => [one.index, layoutOf(one, scan, cut, isSingle)])) };
}

function layoutOf(
  { index, measure }: Numbered,
  { totals }: Scan,
  { stretches }: Cut,
  isSingle: boolean,
): MeasureLayout {
  const { kind } = measure.aggregate;
  const isCount = kind === "count" || kind === "values";
  const total = isSingle || totals ? `t${index}` : undefined;
  const isOwn = stretches.windows === undefined || kind === "quantile";
  return {
    total: totals ? total : undefined,
    cells: isSingle
      ? { kind: "single", value: `t${index}` }
      : {
          kind: "sparse",
          places: kind === "quantile" && stretches.windows !== undefined ? "places_w" : "places",
          values: `c${index}`,
        },
    combine: isOwn ? undefined : kind === "min" || kind === "max" ? kind : "add",
    empty: isCount ? 0 : Number.NaN,
  };
}

/** A row per group and stretch, then one per group with lists of those. */
function compileCells(
  { dialect, ...rest }: Surroundings,
  scan: Scan,
  cut: Cut,
  measures: readonly Numbered[],
): Part {
  const pass = passOf({ dialect, ...rest }, scan, cut, measures, true);
  const inner = measures.map(
    (one, place) => `${aggregateText(one, place, pass, { dialect, ...rest })} AS x${one.index}`,
  );
  const lists = measures.map(
    ({ index }) => `${dialect.collect(dialect.cast(`x${index}`, scalar("number")))} AS c${index}`,
  );
  const totals = measures.flatMap(({ index, measure: { aggregate } }) => {
    const text = totalText(aggregate.kind as Kind, `x${index}`);
    return text === undefined || !scan.totals ? [] : [`${dialect.cast(text, scalar("number"))} AS t${index}`];
  });
  const rows = `SELECT ${withKeys(pass.keys, "b", ...inner)} FROM ${pass.rows} r${groupBy(pass.keys, "b")}`;
  const columns = [`${dialect.collect("b")} AS places`, ...lists, ...totals];
  return {
    sql: `(SELECT ${withKeys(pass.keys, ...columns)} FROM (${rows}) x${groupBy(pass.keys)})`,
    columns: columns.map(nameOf),
  };
}

/** Of buckets that overlap, where values can't be put together: each row once per window that it is in. */
function compileWindows(
  surroundings: Surroundings,
  scan: Scan,
  cut: Cut,
  measures: readonly Numbered[],
): Part {
  const { dialect, parameters } = surroundings;
  const pass = passOf(surroundings, scan, cut, measures, true);
  const pairs = (cut.stretches.windows ?? []).flatMap(([from, to], window) =>
    Array.from({ length: to - from }, (_, offset) => [from + offset, window] as const),
  );
  const [stretches, windows] = [0, 1].map((side) =>
    dialect.unnest(
      parameters.bindList(
        "event",
        pairs.map((pair) => pair[side]!),
      ),
    ),
  );
  const inner = measures.map(
    (one, place) => `${aggregateText(one, place, pass, surroundings)} AS x${one.index}`,
  );
  const joined = `${pass.rows} r JOIN (SELECT ${stretches} AS s, ${windows} AS w) w ON w.s = r.b`;
  const rows = `SELECT ${withKeys(pass.keys, "w.w AS b", ...inner)} FROM ${joined}${groupBy(pass.keys, "w.w")}`;
  const columns = [
    `${dialect.collect("b")} AS places_w`,
    ...measures.map(({ index }) => `${dialect.collect(`x${index}`)} AS c${index}`),
  ];
  return {
    sql: `(SELECT ${withKeys(pass.keys, ...columns)} FROM (${rows}) x${groupBy(pass.keys)})`,
    columns: columns.map(nameOf),
  };
}

/** A row per group, over the whole range. */
function compileWhole(surroundings: Surroundings, scan: Scan, cut: Cut, measures: readonly Numbered[]): Part {
  const { dialect } = surroundings;
  const pass = passOf(surroundings, scan, cut, measures, false);
  const columns = measures.map(
    (one, place) =>
      `${dialect.cast(aggregateText(one, place, pass, surroundings), scalar("number"))} AS t${one.index}`,
  );
  return {
    sql: `(SELECT ${withKeys(pass.keys, ...columns)} FROM ${pass.rows} r${groupBy(pass.keys)})`,
    columns: columns.map(nameOf),
  };
}

function passOf(
  surroundings: Surroundings,
  scan: Scan,
  cut: Cut,
  measures: readonly Numbered[],
  needsBucket: boolean,
): Pass {
  return compilePass(surroundings, {
    scan,
    cut,
    measures: measures.map(({ measure }) => measure),
    values: (source) => measures.map(({ measure }) => valueText(measure.aggregate, source)),
    needsBucket,
  });
}

function valueText(aggregate: Aggregate, source: Source): string {
  if (aggregate.kind === "count") return "1";
  const value = compileExpression(aggregate.of, source);
  if (aggregate.kind !== "values") return asNumber(value, source.surroundings);
  const { sql, type } = value;
  return type.isList ? `CASE WHEN NOT ${source.surroundings.dialect.isEmptyList(sql)} THEN 1 END` : sql;
}

function aggregateText(
  { measure }: Numbered,
  place: number,
  pass: Pass,
  { dialect, parameters }: Surroundings,
): string {
  const [value, filter] = [pass.values[place]!, pass.filters[place]];
  const { aggregate } = measure;
  switch (aggregate.kind) {
    case "quantile":
      return dialect.quantile(value, parameters.bind("number", aggregate.fraction), filter);
    case "values":
      return withFilter(`count(${value})`, filter);
    case "sum":
    case "min":
    case "max":
      return withFilter(`${aggregate.kind}(${value})`, filter);
    default:
      return withFilter("count(*)", filter);
  }
}

function totalText(kind: Kind, cell: string): string | undefined {
  if (kind === "quantile") return undefined;
  return kind === "min" || kind === "max" ? `${kind}(${cell})` : `sum(${cell})`;
}

const nameOf = (column: string): string => column.slice(column.lastIndexOf(" ") + 1);
