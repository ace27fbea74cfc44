import type { DuckDBMaterializedResult } from "@duckdb/node-api";
import type { GroupKey, NumberSummary, Scan, ScanResult } from "../../scan.ts";
import { compileSummary, maxDistinct } from "../../sql/measure/summary.ts";
import { emptyResult, readResult } from "../../sql/result.ts";
import { compileScan } from "../../sql/sql.ts";
import { createSumForms, type SumForm, type SumForms } from "../../sql/sum-forms.ts";
import { failedSumForm } from "../errors.ts";
import { bindStatement, duckdbDialect } from "./dialect.ts";
import { ListMemoryError } from "./middle-values.ts";
import { mayBound, type QuantileLimits, quantileLimits, scanQuantiles } from "./quantiles.ts";
import type { Queries, Query, Scans } from "./query.ts";
import { queryRelations, relationsFor } from "./relations.ts";
import { ResultRows } from "./rows.ts";
import { streamUsers } from "./users.ts";

/** Runs plans with one statement for each scan, and more for quantiles of many values. */
export function createScans(queries: Queries, limits: QuantileLimits = quantileLimits): Scans {
  const sums = createSumForms("decimal");
  return {
    scan: async (scan, signal) => (await runScans(queries, [scan], { signal, sums, limits }))[0]!,
    scanAll: (scans, signal) => runScans(queries, scans, { signal, sums, limits }),
    users: (scan, signal) => streamUsers(queries, scan, signal),
    summarize: (scan, of, signal) => runSummary(queries, scan, of, signal),
  };
}

interface ScanOptions {
  readonly signal: AbortSignal;
  readonly sums: SumForms;
  readonly limits: QuantileLimits;
}

/** Runs scans in one snapshot. Their cells are in memory and do not need it any longer. */
async function runScans(
  queries: Queries,
  scans: readonly Scan[],
  { signal, sums, limits: given }: ScanOptions,
): Promise<readonly ScanResult[]> {
  signal.throwIfAborted();
  const [first] = scans;
  if (first === undefined) return [];
  // Another query may change the form of the same sums while this one runs.
  let limits = given;
  let formed = scans.map((scan): FormedScan => ({ scan, sumForm: sums.of(scan) }));
  for (;;) {
    try {
      return await runInSnapshot(queries, first, formed, { signal, limits });
    } catch (error) {
      if (error instanceof ListMemoryError) {
        limits = { ...limits, maxQuantiles: 0 };
        continue;
      }
      const failed = failedSumForm(error);
      const raised = formed.filter(({ sumForm }) => sumForm === failed).map(({ scan }) => scan);
      if (failed === undefined || raised.length === 0) throw error;
      // The failed statement ended the snapshot, so all scans take a new one.
      const next = sums.next(raised, failed);
      formed = formed.map((one) => (one.sumForm === failed ? { ...one, sumForm: next } : one));
    }
  }
}

interface FormedScan {
  readonly scan: Scan;
  readonly sumForm: SumForm;
}

async function runInSnapshot(
  queries: Queries,
  first: Scan,
  scans: readonly FormedScan[],
  options: Pick<ScanOptions, "signal" | "limits">,
): Promise<readonly ScanResult[]> {
  await using query = await queries.open(first, options.signal);
  const results: ScanResult[] = [];
  for (const { scan, sumForm } of scans) results.push(await runScan(query, scan, { ...options, sumForm }));
  return results;
}

interface RunOptions {
  readonly signal: AbortSignal;
  readonly sumForm: SumForm;
  readonly limits?: QuantileLimits;
}

/** Runs one scan in the snapshot of a query. */
export async function runScan(
  query: Query,
  scan: Scan,
  { signal, sumForm, limits = quantileLimits }: RunOptions,
): Promise<ScanResult> {
  const relations = await relationsFor(query, scan);
  const run = async (one: Scan): Promise<ScanResult> => {
    const compiled = compileScan(one, relations, duckdbDialect, { sumForm });
    if (compiled === undefined) return emptyResult(one);
    const rows = new ResultRows(await query.run(...bindStatement(compiled)));
    return await readResult({ rows, compiled, schema: relations.schema }, one, signal);
  };
  if (!mayBound(scan, relations, limits)) return await run(scan);
  return await scanQuantiles({ query, relations, signal, run }, scan, limits);
}

export async function runSummary(
  queries: Queries,
  scan: Scan,
  of: GroupKey,
  signal: AbortSignal,
): Promise<NumberSummary> {
  await using query = await queries.open(scan, signal);
  const relations = await queryRelations(query, scan.projectId, scan.buckets);
  const compiled = compileSummary(scan, of, relations, duckdbDialect);
  if (compiled === undefined) return { distinct: 0, range: undefined };
  const [low, high] = firstRow(await query.run(...bindStatement(compiled.range)), 2);
  if (low === null || high === null) return { distinct: 0, range: undefined };
  const [seen] = firstRow(await query.run(...bindStatement(compiled.sample)), 1);
  const isEnough = Number(seen) >= maxDistinct;
  const [all] = isEnough ? [seen] : firstRow(await query.run(...bindStatement(compiled.distinct)), 1);
  return { distinct: Number(all), range: [Number(low), Number(high)] };
}

function firstRow(result: DuckDBMaterializedResult, columns: number): unknown[] {
  const rows = new ResultRows(result);
  rows.moveTo(0);
  return Array.from({ length: columns }, (_, column) => rows.value(column));
}
