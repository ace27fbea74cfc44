import type { DuckDBMaterializedResult } from "@duckdb/node-api";
import type { GroupKey, NumberSummary, Scan, ScanResult } from "../../scan.ts";
import { compileSummary, maxDistinct } from "../../sql/measure/summary.ts";
import { emptyResult, type FoundRows, readResult } from "../../sql/result.ts";
import { compileScan } from "../../sql/sql.ts";
import { createWideSums, type WideSums } from "../../sql/wide-sums.ts";
import { isTooLargeForSum } from "../errors.ts";
import { bindStatement, duckdbDialect } from "./dialect.ts";
import type { Queries, Query, Scans } from "./query.ts";
import { relationsFor, relationsOf } from "./relations.ts";
import { ResultRows } from "./rows.ts";
import { streamUsers } from "./users.ts";

/** Runs plans with one statement for each scan. */
export function createScans(queries: Queries): Scans {
  const wide = createWideSums();
  return {
    scan: async (scan, signal) => (await runScans(queries, [scan], { signal, wide }))[0]!,
    scanAll: (scans, signal) => runScans(queries, scans, { signal, wide }),
    users: (scan, signal) => streamUsers(queries, scan, signal),
    summarize: (scan, of, signal) => runSummary(queries, scan, of, signal),
  };
}

interface ScanOptions {
  readonly signal: AbortSignal;
  readonly wide: WideSums;
}

/** Runs scans in one snapshot. Their cells are in memory and do not need it any longer. */
async function runScans(
  queries: Queries,
  scans: readonly Scan[],
  { signal, wide }: ScanOptions,
): Promise<readonly ScanResult[]> {
  signal.throwIfAborted();
  const [first] = scans;
  if (first === undefined) return [];
  // Another query may mark the same sums while this one runs.
  const forms = scans.map((scan) => ({ scan, hasWideSums: wide.has(scan) }));
  try {
    return await runInSnapshot(queries, first, forms, signal);
  } catch (error) {
    if (!isTooLargeForSum(error) || forms.every(({ hasWideSums }) => hasWideSums)) throw error;
    wide.add(scans);
    // The failed statement ended the snapshot, so all scans take a new one.
    const wideForms = scans.map((scan) => ({ scan, hasWideSums: true }));
    return await runInSnapshot(queries, first, wideForms, signal);
  }
}

interface FormedScan {
  readonly scan: Scan;
  readonly hasWideSums: boolean;
}

async function runInSnapshot(
  queries: Queries,
  first: Scan,
  scans: readonly FormedScan[],
  signal: AbortSignal,
): Promise<readonly ScanResult[]> {
  await using query = await queries.open(first, signal);
  const results: ScanResult[] = [];
  for (const { scan, hasWideSums } of scans)
    results.push(await runScan(query, scan, { signal, hasWideSums }));
  return results;
}

/** Runs one scan in the snapshot of a query. */
export async function runScan(
  query: Query,
  scan: Scan,
  { signal, hasWideSums }: { readonly signal: AbortSignal; readonly hasWideSums: boolean },
): Promise<ScanResult> {
  const found = await fetchRows(query, scan, hasWideSums);
  if (found === undefined) return emptyResult(scan);
  return await readResult(found, scan, signal);
}

async function fetchRows(query: Query, scan: Scan, hasWideSums: boolean): Promise<FoundRows | undefined> {
  const relations = await relationsFor(query, scan);
  const compiled = compileScan(scan, relations, duckdbDialect, { hasWideSums });
  if (compiled === undefined) return undefined;
  const rows = new ResultRows(await query.run(...bindStatement(compiled)));
  return { rows, compiled, schema: relations.schema };
}

export async function runSummary(
  queries: Queries,
  scan: Scan,
  of: GroupKey,
  signal: AbortSignal,
): Promise<NumberSummary> {
  await using query = await queries.open(scan, signal);
  const compiled = compileSummary(scan, of, relationsOf(query.tables, scan.projectId), duckdbDialect);
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
