import type { DuckDBMaterializedResult } from "@duckdb/node-api";
import type { GroupKey, NumberSummary, Scan, ScanResult } from "../../scan.ts";
import { compileSummary, maxDistinct } from "../../sql/measure/summary.ts";
import { emptyResult, type FoundRows, readResult } from "../../sql/result.ts";
import { compileScan } from "../../sql/sql.ts";
import { createSumForms, type SumForm, type SumForms } from "../../sql/sum-forms.ts";
import { failedSumForm } from "../errors.ts";
import { bindStatement, duckdbDialect } from "./dialect.ts";
import type { Queries, Query, Scans } from "./query.ts";
import { relationsFor, relationsOf } from "./relations.ts";
import { ResultRows } from "./rows.ts";
import { streamUsers } from "./users.ts";

/** Runs plans with one statement for each scan. */
export function createScans(queries: Queries): Scans {
  const sums = createSumForms("decimal");
  return {
    scan: async (scan, signal) => (await runScans(queries, [scan], { signal, sums }))[0]!,
    scanAll: (scans, signal) => runScans(queries, scans, { signal, sums }),
    users: (scan, signal) => streamUsers(queries, scan, signal),
    summarize: (scan, of, signal) => runSummary(queries, scan, of, signal),
  };
}

interface ScanOptions {
  readonly signal: AbortSignal;
  readonly sums: SumForms;
}

/** Runs scans in one snapshot. Their cells are in memory and do not need it any longer. */
async function runScans(
  queries: Queries,
  scans: readonly Scan[],
  { signal, sums }: ScanOptions,
): Promise<readonly ScanResult[]> {
  signal.throwIfAborted();
  const [first] = scans;
  if (first === undefined) return [];
  // Another query may change the form of the same sums while this one runs.
  let formed = scans.map((scan): FormedScan => ({ scan, sumForm: sums.of(scan) }));
  for (;;) {
    try {
      return await runInSnapshot(queries, first, formed, signal);
    } catch (error) {
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
  signal: AbortSignal,
): Promise<readonly ScanResult[]> {
  await using query = await queries.open(first, signal);
  const results: ScanResult[] = [];
  for (const { scan, sumForm } of scans) results.push(await runScan(query, scan, { signal, sumForm }));
  return results;
}

/** Runs one scan in the snapshot of a query. */
export async function runScan(
  query: Query,
  scan: Scan,
  { signal, sumForm }: { readonly signal: AbortSignal; readonly sumForm: SumForm },
): Promise<ScanResult> {
  const found = await fetchRows(query, scan, sumForm);
  if (found === undefined) return emptyResult(scan);
  return await readResult(found, scan, signal);
}

async function fetchRows(query: Query, scan: Scan, sumForm: SumForm): Promise<FoundRows | undefined> {
  const relations = await relationsFor(query, scan);
  const compiled = compileScan(scan, relations, duckdbDialect, { sumForm });
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
