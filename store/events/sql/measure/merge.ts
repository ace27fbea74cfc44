import type { Merge } from "../dialect.ts";
import type { CompiledKey } from "../keys.ts";
import { groupBy, withKeys } from "../pass.ts";
import type { CompileContext } from "../source.ts";

export interface GroupedRows {
  /** A SELECT which groups by the keys and the columns of `by`. */
  readonly sql: string;
  readonly keys: readonly CompiledKey[];
  readonly by: readonly string[];
  readonly columns: readonly { readonly name: string; readonly merge: Merge }[];
}

/** Returns the SELECT of grouped rows: of all shards when there are several. */
export function mergeShards(
  { dialect, stages }: CompileContext,
  { sql, keys, by, columns }: GroupedRows,
): string {
  if (stages === undefined) return sql;
  const merged = columns.map(({ name, merge }) => `${dialect.merge(name, merge)} AS ${name}`);
  return `SELECT ${withKeys(keys, ...by, ...merged)} FROM ${stages.add(sql)} p${groupBy(keys, ...by)}`;
}
