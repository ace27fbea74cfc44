import type { Ledger } from "../../ledger/ledger.ts";
import { cohortsTable, eventsTable, updatableTable, usersTable, visitorsTable } from "../layout.ts";
import { type DeleteTarget, deleteRows } from "./delete-rows.ts";

/** Batches whose rows are deleted together. */
const batchesAtOnce = 100;

const tablesOf = (projectId: number): readonly string[] =>
  [eventsTable, updatableTable, usersTable, visitorsTable, cohortsTable].map((nameOf) => nameOf(projectId));

/**
 * Deletes the rows of attempts which were given up, and of replaced cohorts. Several processes may do it
 * at once.
 */
export async function deleteGarbage(
  target: DeleteTarget & { readonly ledger: Ledger },
  signal?: AbortSignal,
): Promise<void> {
  const { ledger } = target;
  for (;;) {
    const batches = await ledger.call("garbageBatches", batchesAtOnce);
    const byProject = new Map<number, number[]>();
    for (const { number, projects } of batches)
      for (const id of projects) byProject.set(id, [...(byProject.get(id) ?? []), number]);
    for (const [projectId, numbers] of byProject) {
      const existing = await existingTables(target, projectId);
      for (const table of existing)
        await deleteRows(target, table, `batch IN (${numbers.join(", ")})`, signal);
    }
    for (const { number } of batches) await ledger.call("garbageDeleted", number);
    if (batches.length < batchesAtOnce) return;
  }
}

/** The attempt may have died before all shards had the tables. */
async function existingTables({ connection }: DeleteTarget, projectId: number): Promise<readonly string[]> {
  const tables = tablesOf(projectId);
  const list = tables.map((name) => `'${name}'`).join(", ");
  const found = await connection.onEach((shard) =>
    connection.rows<[string]>(shard, {
      sql: `SELECT name FROM system.tables WHERE database = currentDatabase() AND name IN (${list})`,
    }),
  );
  return tables.filter((table) => found.every((names) => names.some(([name]) => name === table)));
}
