import type { Scan } from "../scan.ts";
import { type Dialect, scalar } from "./dialect.ts";
import { type CompiledKey, compileKeys } from "./keys.ts";
import { compileAdded, divideAdded } from "./measure/added-shards.ts";
import { type Numbered, needsValues } from "./measure/aggregates.ts";
import { compileDistinct, groupDistinct } from "./measure/distinct.ts";
import { type CompiledMeasures, compileGroupedAggregates } from "./measure/grouped-aggregates.ts";
import { type CompiledScan, isListColumn, type MeasureLayout, type Part } from "./measure/layout.ts";
import { Parameters } from "./parameters.ts";
import { compileShared, divideRange, groupBy, withKeys } from "./pass.ts";
import type { Relations } from "./relations.ts";
import { createSharedRows, shouldShare } from "./shared-rows.ts";
import { type CompileContext, Source } from "./source.ts";
import { Stages } from "./stages.ts";
import type { SumForm } from "./sum-forms.ts";

export interface ScanForm {
  /** The query fails at a value that the form does not accept. Default: `split`. */
  readonly sumForm?: SumForm;
  /** Whether users are divided among several shards. */
  readonly isSharded?: boolean;
}

/**
 * Compiles the query of a scan; undefined when it can have no groups.
 *
 * A scan is compiled in these steps: `buckets.ts` divides its range, `pass.ts` compiles one reading of
 * the events (`rows.ts`, `keys.ts`, `source.ts`, `expression/`), and `measure/` aggregates the rows.
 * `users.ts` compiles queries for users. `dialect.ts` declares what differs between engines,
 * `relations.ts` the tables of a driver, and `parameters.ts` collects the bound values.
 */
export function compileScan(
  scan: Scan,
  relations: Relations,
  dialect: Dialect,
  { sumForm = "split", isSharded = false }: ScanForm = {},
): CompiledScan | undefined {
  const parameters = new Parameters(dialect);
  const stages = isSharded ? new Stages(parameters) : undefined;
  const context: CompileContext = {
    dialect,
    relations,
    parameters,
    zone: scan.zone,
    sumForm,
    hasWindows: scan.buckets.windows !== undefined,
    mergesStretches: scan.totals || scan.buckets.windows !== undefined,
    stages,
  };
  // Each shard would have to keep its own rows.
  const sharedRows = !isSharded && shouldShare(scan, relations) ? createSharedRows(context) : undefined;
  const division = divideRange(scan, sharedRows);
  if (scan.measures.length === 0 || division.stretches.count === 0) return undefined;
  const numbered = scan.measures.map((measure, index): Numbered => ({ index, measure }));
  const [distinct, grouped] = partition(numbered, ({ measure }) => needsValues(measure, context));
  const common: string[] = [];
  const compiled: CompiledMeasures[] = [];
  for (const [at, together] of groupByEvents(grouped, relations).entries()) {
    const [added, measures] = divideAdded(together, context);
    if (added.length > 0)
      compiled.push(compileAdded(context, scan, division, { measures: added, name: `a${at}` }));
    if (measures.length === 0) continue;
    const measured = compileGroupedAggregates(context, scan, division, { measures, name: `g${at}` });
    if (measured.shared !== undefined) common.push(measured.shared);
    compiled.push(measured);
  }
  for (const measures of groupDistinct(distinct)) {
    const name = `s${compiled.length}`;
    const measured = compileDistinct(context, scan, division, { measures, name });
    if (measured.shared !== undefined) common.push(`${name} ${dialect.asShared(measured.shared)}`);
    compiled.push(measured);
  }
  const keys = compileKeys(scan.keys, new Source(context));
  const parts = compiled.flatMap((measured) => measured.parts);
  const columns = parts.flatMap((part) => part.columns);
  const layouts = new Map(compiled.flatMap((measured) => [...measured.layouts]));
  if (sharedRows !== undefined) common.unshift(compileShared(sharedRows, { scan, division }));
  const shared = common.length === 0 ? "" : `WITH ${common.join(", ")} `;
  return {
    ...parameters.finish(shared + mergeParts(keys, parts, columns, dialect)),
    keys,
    columns: [...keys.map(({ name }) => name), ...columns],
    measures: numbered.map(({ index }): MeasureLayout => layouts.get(index)!),
    bucketCount: division.stretches.windows?.length ?? division.stretches.count,
    stages: stages?.all ?? [],
    windows: division.stretches.windows,
  };
}

/** Divides measures so that none reads an event which those of another group read. */
function groupByEvents(
  measures: readonly Numbered[],
  { hasEventsApart = false }: Relations,
): readonly (readonly Numbered[])[] {
  if (!hasEventsApart || measures.length === 0) return measures.length === 0 ? [] : [measures];
  let groups: { readonly events: ReadonlySet<number>; readonly measures: readonly Numbered[] }[] = [];
  for (const one of measures) {
    if (one.measure.events === undefined) return [measures];
    const events = new Set(one.measure.events);
    const [joined, others] = partition(groups, (group) => !group.events.isDisjointFrom(events));
    const all = joined.reduce((found, group) => found.union(group.events), events);
    const together = [...joined.flatMap((group) => group.measures), one];
    groups = [...others, { events: all, measures: together }];
  }
  return groups.map((group) => group.measures.toSorted((a, b) => a.index - b.index));
}

/** Merges the results of the passes to one row per group. */
function mergeParts(
  keys: readonly CompiledKey[],
  parts: readonly Part[],
  columns: readonly string[],
  dialect: Dialect,
): string {
  const outer = keys.map(({ name, of }) =>
    of === "integer" ? `${dialect.cast(name, scalar("number"))} AS ${name}` : name,
  );
  const [only] = parts;
  // Each subquery takes time to plan.
  if (only !== undefined && parts.length === 1 && keys.every(({ of }) => of !== "integer"))
    return withoutParentheses(only.sql);
  if (only !== undefined && parts.length === 1)
    return `SELECT ${[...outer, ...columns].join(", ")} FROM ${only.sql} p`;
  const branches = parts.map((part) => {
    const own = columns.map((column) =>
      part.columns.includes(column) ? column : `${dialect.missing(isListColumn(column))} AS ${column}`,
    );
    return `SELECT ${withKeys(keys, ...own)} FROM ${part.sql} p`;
  });
  const merged = columns.map((column) => `${dialect.onlyValue(column, isListColumn(column))} AS ${column}`);
  const rows = `SELECT ${withKeys(keys, ...merged)} FROM (${branches.join(" UNION ALL ")}) p${groupBy(keys)}`;
  return `SELECT ${[...outer, ...columns].join(", ")} FROM (${rows}) p`;
}

const withoutParentheses = (subquery: string): string => subquery.slice(1, -1);

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
