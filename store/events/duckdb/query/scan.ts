import type { DuckDBMaterializedResult } from "@duckdb/node-api";
import { createYield } from "../../../../base/async/yield.ts";
import type {
  GroupKey,
  KeyValue,
  NumberSpread,
  Scan,
  ScanCells,
  ScanGroups,
  ScanResult,
} from "../../scan.ts";
import type { ProjectSchema } from "../../schema.ts";
import type { CompiledKey } from "../../sql/keys.ts";
import { cellWriters, orEmpty } from "../../sql/measure/cells.ts";
import type { CompiledScan } from "../../sql/measure/layout.ts";
import { compileSpreadSql, maxDistinct } from "../../sql/measure/spread.ts";
import { compileScan } from "../../sql/sql.ts";
import { bindStatement, duckdbDialect } from "./dialect.ts";
import type { Queries, Query, Scans } from "./query.ts";
import { relationsFor, relationsOf } from "./relations.ts";
import { ResultRows } from "./rows.ts";
import { streamUsers } from "./users.ts";
import { createWideSums, isTooLargeForSum, type WideSums } from "./wide-sums.ts";

/** Runs plans with one statement for each scan. */
export function createScans(queries: Queries): Scans {
  const wide = createWideSums();
  return {
    scan: async (scan, signal) => (await runScans(queries, [scan], { signal, wide }))[0]!,
    scanAll: (scans, signal) => runScans(queries, scans, { signal, wide }),
    users: (scan, signal) => streamUsers(queries, scan, signal),
    spread: (scan, of, signal) => runSpread(queries, scan, of, signal),
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
  options: ScanOptions,
): Promise<readonly ScanResult[]> {
  options.signal.throwIfAborted();
  const [first] = scans;
  if (first === undefined) return [];
  try {
    return await runInSnapshot(queries, first, scans, options);
  } catch (error) {
    // The failed statement ended the snapshot, so all scans take a new one.
    if (!isTooLargeForSum(error) || !options.wide.add(scans)) throw error;
    return await runInSnapshot(queries, first, scans, options);
  }
}

async function runInSnapshot(
  queries: Queries,
  first: Scan,
  scans: readonly Scan[],
  { signal, wide }: ScanOptions,
): Promise<readonly ScanResult[]> {
  await using query = await queries.open(first, signal);
  const results: ScanResult[] = [];
  for (const scan of scans) results.push(await runScan(query, scan, { signal, hasWideSums: wide.has(scan) }));
  return results;
}

async function runScan(
  query: Query,
  scan: Scan,
  { signal, hasWideSums }: { readonly signal: AbortSignal; readonly hasWideSums: boolean },
): Promise<ScanResult> {
  const found = await fetchRows(query, scan, hasWideSums);
  if (found === undefined) return emptyResult(scan);
  const groups = await readGroups(found, scan, signal);
  return new StoredResult(found.rows, found.compiled, groups);
}

interface Found {
  readonly rows: ResultRows;
  readonly compiled: CompiledScan;
  readonly schema: ProjectSchema;
}

async function fetchRows(query: Query, scan: Scan, hasWideSums: boolean): Promise<Found | undefined> {
  const relations = await relationsFor(query, scan);
  const compiled = compileScan(scan, relations, duckdbDialect, hasWideSums);
  if (compiled === undefined) return undefined;
  const rows = new ResultRows(await query.run(...bindStatement(compiled)));
  return { rows, compiled, schema: relations.schema };
}

/** The engine keeps the cells until those of some groups are requested. */
class StoredResult implements ScanResult {
  readonly groups: ScanGroups;
  readonly #compiled: CompiledScan;
  #rows: ResultRows | undefined;

  constructor(rows: ResultRows, compiled: CompiledScan, groups: ScanGroups) {
    this.#rows = rows;
    this.#compiled = compiled;
    this.groups = groups;
  }

  async cells(groups?: readonly number[]): Promise<ScanCells> {
    const rows = this.#rows;
    if (rows === undefined) throw new Error("the result has been disposed of");
    const { bucketCount, measures } = this.#compiled;
    const chosen = groups ?? Array.from({ length: rows.rowCount }, (_, index) => index);
    const values = measures.map(({ empty }) => new Float64Array(chosen.length * bucketCount).fill(empty));
    const writers = cellWriters(this.#compiled);
    const yieldToEventLoop = createYield();
    // Chunk by chunk, whatever the order of the requested groups.
    const order = chosen.map((_, place) => place).sort((a, b) => chosen[a]! - chosen[b]!);
    for (const place of order) {
      rows.moveTo(chosen[place]!);
      for (const [measure, write] of writers.entries()) write(rows, values[measure]!, place * bucketCount);
      await yieldToEventLoop();
    }
    return { values };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#rows = undefined;
  }
}

async function readGroups(
  { rows, compiled, schema }: Found,
  { totals: wantsTotals }: Scan,
  signal: AbortSignal,
): Promise<ScanGroups> {
  const decode = keyDecoders(compiled.keys, schema);
  const totals = wantsTotals ? compiled.measures.map(() => new Float64Array(rows.rowCount)) : [];
  const places = compiled.measures.map(({ total }) => compiled.columns.indexOf(total ?? ""));
  const keys: KeyValue[][] = [];
  const yieldToEventLoop = createYield();
  for (let row = 0; row < rows.rowCount; row++) {
    rows.moveTo(row);
    keys.push(decode.map((one, column) => one(rows.value(column))));
    for (const [measure, total] of totals.entries()) {
      total[row] = orEmpty(rows.number(places[measure]!), compiled.measures[measure]!.empty);
    }
    if (row % 64 !== 63) continue;
    signal.throwIfAborted();
    await yieldToEventLoop();
  }
  return { keys, totals };
}

function keyDecoders(
  keys: readonly CompiledKey[],
  schema: ProjectSchema,
): readonly ((value: unknown) => KeyValue)[] {
  const names = new Map([...schema.events.values()].map(({ number, name }) => [number, name]));
  return keys.map(({ of }) => {
    if (of === "event") return (value) => names.get(value as number) ?? null;
    return of === "text" && keys.length > 1 ? createInterner() : (value) => value as KeyValue;
  });
}

/** The number of texts of a key which are kept once: with many keys, copies are most of the memory of groups. */
const maxRepeated = 10_000;

function createInterner(): (value: unknown) => KeyValue {
  const known = new Map<unknown, KeyValue>();
  return (value) => {
    const found = known.get(value);
    if (found !== undefined) return found;
    if (known.size < maxRepeated) known.set(value, value as KeyValue);
    return value as KeyValue;
  };
}

function emptyResult({ measures, totals }: Scan): ScanResult {
  const none = measures.map(() => new Float64Array());
  return {
    groups: { keys: [], totals: totals ? none : [] },
    cells: async () => ({ values: none }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

export async function runSpread(
  queries: Queries,
  scan: Scan,
  of: GroupKey,
  signal: AbortSignal,
): Promise<NumberSpread> {
  await using query = await queries.open(scan, signal);
  const compiled = compileSpreadSql(scan, of, relationsOf(query.tables, scan.projectId), duckdbDialect);
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
