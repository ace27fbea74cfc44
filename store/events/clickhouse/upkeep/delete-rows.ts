import type { Connection } from "../connection.ts";
import { type DdlOptions, onCluster } from "../ddl/tables.ts";

export interface DeleteTarget {
  readonly connection: Connection;
  readonly ddl: DdlOptions;
}

/** Deletes the rows of a table for which a condition holds, on all shards, and their space. */
export async function deleteRows(
  { connection, ddl }: DeleteTarget,
  table: string,
  condition: string,
  signal?: AbortSignal,
): Promise<void> {
  await connection.onEach(async (shard, ended) => {
    const found = await connection.rows<[number]>(shard, {
      sql: `SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1`,
      settings: { max_execution_time: 0 },
      signal: ended,
    });
    if (found.length === 0) return;
    const sql = `ALTER TABLE ${table}${onCluster(ddl.cluster)} DELETE WHERE ${condition}`;
    await connection.command(shard, { sql, settings: { mutations_sync: 1 }, signal: ended });
  }, signal);
}
