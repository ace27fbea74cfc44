import type { DuckDBMaterializedResult } from "@duckdb/node-api";
import type { GroupKey, NumberSpread, Scan } from "../../scan.ts";
import { compileSpread, maxDistinct } from "../../sql/measure/spread.ts";
import type { Queries } from "../connection.ts";
import { bound } from "./bind.ts";
import { duckdbDialect } from "./dialect.ts";
import { relationsOf } from "./relations.ts";
import { ResultRows } from "./rows.ts";

export async function runSpread(
  queries: Queries,
  scan: Scan,
  of: GroupKey,
  signal: AbortSignal,
): Promise<NumberSpread> {
  await using query = await queries.open(scan, signal);
  const compiled = compileSpread(scan, of, relationsOf(query.tables, scan.projectId), duckdbDialect);
  if (compiled === undefined) return { distinct: 0, range: undefined };
  const [low, high] = firstRow(await query.run(...bound(compiled.range)), 2);
  if (low === null || high === null) return { distinct: 0, range: undefined };
  const [seen] = firstRow(await query.run(...bound(compiled.sample)), 1);
  const isEnough = Number(seen) >= maxDistinct;
  const [all] = isEnough ? [seen] : firstRow(await query.run(...bound(compiled.distinct)), 1);
  return { distinct: Number(all), range: [Number(low), Number(high)] };
}

function firstRow(result: DuckDBMaterializedResult, columns: number): unknown[] {
  const rows = new ResultRows(result);
  rows.moveTo(0);
  return Array.from({ length: columns }, (_, column) => rows.value(column));
}
