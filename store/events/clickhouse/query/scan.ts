import type { GroupKey, NumberSummary, Scan, ScanResult } from "../../scan.ts";
import { compileSummary, maxDistinct } from "../../sql/measure/summary.ts";
import type { Statement } from "../../sql/parameters.ts";
import { emptyResult, readResult } from "../../sql/result.ts";
import { compileScan } from "../../sql/sql.ts";
import type { Stage } from "../../sql/stages.ts";
import { createSumForms, type SumForm, type SumForms } from "../../sql/sum-forms.ts";
import { bindStatement, clickhouseDialect, isTooLargeForSum } from "./dialect.ts";
import { openQuery, type Plans, type Query, type QuerySource } from "./query.ts";
import { relationsOf } from "./relations.ts";
import { readRows, rowFormat } from "./rows.ts";
import { readMerged } from "./shards.ts";
import { selectUsers, streamUsers } from "./users.ts";

/** Runs plans on all shards. */
export function createPlans(source: QuerySource): Plans {
  const sums = createSumForms("split");
  return {
    scan: async (scan, signal) => (await runScans(source, [scan], { signal, sums }))[0]!,
    scanAll: (scans, signal) => runScans(source, scans, { signal, sums }),
    users: (scan, signal) => streamUsers(source, scan, signal),
    selectUsers: (selection, signal) => selectUsers(source, selection, signal),
    summarize: (scan, of, signal) => runSummary(source, scan, of, signal),
  };
}

interface ScanOptions {
  readonly signal: AbortSignal;
  readonly sums: SumForms;
}

/** Runs scans on one snapshot of each project. */
async function runScans(
  source: QuerySource,
  scans: readonly Scan[],
  { signal, sums }: ScanOptions,
): Promise<readonly ScanResult[]> {
  signal.throwIfAborted();
  const [first] = scans;
  if (first === undefined) return [];
  const projects = scans.map(({ projectId }) => projectId);
  using query = await openQuery(source, first, signal, projects);
  const results: ScanResult[] = [];
  for (const scan of scans) results.push(await runScan(query, scan, sums));
  return results;
}

async function runScan(query: Query, scan: Scan, sums: SumForms): Promise<ScanResult> {
  // Another query may change the form of the same sums while this one runs.
  const form = sums.of(scan);
  try {
    return await runOnce(query, scan, form);
  } catch (error) {
    if (!isTooLargeForSum(error) || form === "wide") throw error;
    return await runOnce(query, scan, sums.next([scan], form));
  }
}

/** Runs one scan. @throws Error when a value is too large for the sums of its form */
export async function runOnce(query: Query, scan: Scan, sumForm: SumForm): Promise<ScanResult> {
  const { connection, signal } = query;
  const relations = relationsOf(query.snapshot(scan.projectId));
  const isSharded = connection.shardCount > 1;
  const compiled = compileScan(scan, relations, clickhouseDialect, { sumForm, isSharded });
  if (compiled === undefined) return emptyResult(scan);
  const rows = await readRows(await readScan(query, compiled));
  return await readResult({ rows, compiled, schema: relations.schema }, scan, signal);
}

/** Reads the rows of a statement, after the shards have run its stages. */
export async function readScan(
  { connection, signal }: Query,
  compiled: Statement & { readonly stages: readonly Stage[] },
): Promise<AsyncIterable<Buffer>> {
  const { stages } = compiled;
  if (stages.length > 0)
    return readMerged(connection, { statement: compiled, stages, format: rowFormat }, signal);
  const bound = bindStatement(compiled);
  return await connection.read(0, { ...bound, sql: `${bound.sql} FORMAT ${rowFormat}`, signal });
}

async function runSummary(
  source: QuerySource,
  scan: Scan,
  of: GroupKey,
  signal: AbortSignal,
): Promise<NumberSummary> {
  signal.throwIfAborted();
  using query = await openQuery(source, scan, signal);
  const compiled = compileSummary(scan, of, relationsOf(query.snapshot(scan.projectId)), clickhouseDialect);
  if (compiled === undefined) return { distinct: 0, range: undefined };
  const ranges = (await rowsOfShards<[number | null, number | null]>(query, compiled.range)).filter(
    (range): range is [number, number] => range[0] !== null,
  );
  if (ranges.length === 0) return { distinct: 0, range: undefined };
  const values = new Set(
    (await rowsOfShards<[number | string]>(query, compiled.values)).map(([value]) => value),
  );
  return {
    distinct: Math.min(values.size, maxDistinct),
    range: [Math.min(...ranges.map(([low]) => low)), Math.max(...ranges.map(([, high]) => high))],
  };
}

/** Returns the rows that all shards have for a statement, in no order. */
export async function rowsOfShards<R extends readonly unknown[]>(
  { connection, signal }: Query,
  statement: Parameters<typeof bindStatement>[0],
): Promise<R[]> {
  const bound = bindStatement(statement);
  const rows = await connection.onEach(
    (shard, either) => connection.rows<R>(shard, { ...bound, signal: either }),
    signal,
  );
  return rows.flat();
}
