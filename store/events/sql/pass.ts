import type { Buckets, Measure, Scan } from "../scan.ts";
import { compileBucket, divideBuckets, hasGaps, isFine, type Stretches } from "./buckets.ts";
import { compileConditions } from "./expression/conditions.ts";
import type { CompiledKey } from "./keys.ts";
import { compileRows, type ListColumn } from "./rows.ts";
import type { SharedRows } from "./shared-rows.ts";
import { type CompileContext, Source } from "./source.ts";

/** One reading of the events, for some of a scan's measures. */
export interface Pass {
  readonly keys: readonly CompiledKey[];
  /** A subquery with one row per event (and list element): keys, `b` (the stretch), conditions and values. */
  readonly rows: string;
  /** The column which tells whether a measure counts the row; undefined when it counts all rows. */
  readonly filters: readonly (string | undefined)[];
  /** The column of each requested value. */
  readonly values: readonly string[];
}

/** How a scan's range is divided, equal for all passes. */
export interface RangeDivision {
  readonly buckets: Buckets;
  readonly stretches: Stretches;
  readonly hasGaps: boolean;
  /** The shared rows, when all passes read the same ones. */
  readonly shared: SharedRows | undefined;
}

export function divideRange({ buckets, zone }: Scan, shared?: SharedRows): RangeDivision {
  const stretches = divideBuckets(buckets);
  return { buckets, stretches, hasGaps: hasGaps(buckets, stretches, zone), shared };
}

/** What a pass computes besides keys and conditions. */
export interface PassWanted {
  readonly scan: Scan;
  readonly division: RangeDivision;
  readonly measures: readonly Pick<Measure, "events" | "where">[];
  /** The SQL of values; equal values share a column. */
  readonly values: (source: Source) => readonly string[];
  /** Lists to expand; further columns with their own names. */
  readonly lists?: (source: Source) => readonly ListColumn[];
  readonly needsBucket: boolean;
}

export function compilePass(context: CompileContext, wanted: PassWanted): Pass {
  const { scan, division } = wanted;
  const source = division.shared?.source ?? new Source(context);
  const columns = division.shared?.columns ?? [];
  const conditions = compileConditions(wanted.measures, source);
  const columnOf = (sql: string, name: string): string => {
    const known = columns.find((column) => column.sql === sql);
    if (known !== undefined) return known.name;
    columns.push({ name, sql });
    return name;
  };
  const values = wanted.values(source).map((sql) => columnOf(sql, `v${columns.length}`));
  const filters = conditions.own.map((sql) =>
    sql === undefined ? undefined : columnOf(sql, `f${columns.length}`),
  );
  const bucket = wanted.needsBucket || division.hasGaps ? bucketOf(context, division, source) : undefined;
  if (bucket !== undefined) columnOf(bucket, "b");
  for (const { sql } of columns) context.parameters.count(sql);
  if (division.shared !== undefined) return { keys: [], rows: division.shared.name, filters, values };
  const { sql, keys } = compileRows(source, {
    keys: scan.keys,
    columns,
    lists: wanted.lists?.(source) ?? [],
    where: [conditions.common, gapFilter(bucket, division)],
    range: scan.buckets,
    events: conditions.events,
  });
  context.parameters.count(sql);
  return { keys, rows: sql, filters, values };
}

/** Compiles the rows which all passes read. */
export function compileShared(
  { name, source, columns }: SharedRows,
  { scan, division }: Pick<PassWanted, "scan" | "division">,
): string {
  const { common, events } = compileConditions(scan.measures.slice(0, 1), source);
  const bucket = columns.find((column) => column.name === "b")?.sql;
  const where = [common, gapFilter(bucket, division)];
  return `${name} ${source.context.dialect.asShared(compileRows(source, { keys: [], columns, where, range: scan.buckets, events }).sql)}`;
}

const gapFilter = (bucket: string | undefined, { hasGaps }: RangeDivision): string | undefined =>
  hasGaps ? `${bucket} IS NOT NULL` : undefined;

/**
 * Returns the column of the stretch. Where a stretch is a part of a day, one expression serves all
 * tables: over 3 million events of a month by hour that takes 60 ms of processor time, and an
 * expression for each table 90 ms. By day it is the other way round, 120 ms to 70 ms.
 */
function bucketOf(
  { dialect, relations, zone }: CompileContext,
  division: RangeDivision,
  source: Source,
): string {
  const { stretches, buckets } = division;
  const given = { stretches, zone, dialect };
  const isOne = relations.oneTable !== undefined || (!division.hasGaps && isFine(stretches));
  if (isOne) return compileBucket(source.column("time_ms"), buckets, given);
  return source.bucket((startMs, endMs) => compileBucket("time_ms", { startMs, endMs }, given));
}

/** Lists columns, with the keys first. */
export const withKeys = (keys: readonly CompiledKey[], ...others: readonly string[]): string =>
  [...keys.map(({ name }) => name), ...others].join(", ");

/** Groups to one row per group. Without keys there is one group, but only when there are rows. */
export function groupBy(keys: readonly CompiledKey[], ...others: readonly string[]): string {
  const by = withKeys(keys, ...others);
  return by === "" ? " HAVING count(*) > 0" : ` GROUP BY ${by}`;
}

export const filterText = (...conditions: readonly (string | undefined)[]): string | undefined => {
  const given = conditions.filter((condition) => condition !== undefined);
  return given.length === 0 ? undefined : given.join(" AND ");
};

export const withFilter = (aggregate: string, filter: string | undefined): string =>
  filter === undefined ? aggregate : `${aggregate} FILTER (WHERE ${filter})`;
