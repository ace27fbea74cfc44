import { isLoaded, type ProjectSnapshot, updatableTable, usersTable } from "../layout.ts";
import type { Projects } from "../projects.ts";
import { sumOfShards } from "../read/stats.ts";
import { deleteRows } from "./delete-rows.ts";
import { keepForRequestsMs, type RetentionSource } from "./retention.ts";

/** The part of a table's rows from which on its superseded rows are deleted: a deletion writes the others again. */
const minPart = 0.1;

/**
 * Deletes rows of users and updatable events which later rows supersede, for all requests which began
 * within the last hour.
 */
export async function deleteSuperseded(
  source: RetentionSource,
  project: Awaited<ReturnType<Projects["snapshots"]>>[number],
  signal: AbortSignal,
): Promise<void> {
  const { ledger } = source;
  const { projectId, watermark } = project;
  const then = await ledger.call("watermarkAt", projectId, ledger.now() - keepForRequestsMs);
  if (then === undefined) return;
  // Batches which were hidden then may have become visible since.
  const old = { ...project, watermark: Math.min(then, watermark) };
  await deleteOf(source, usersTable(projectId), "user_id", old, signal);
  await deleteOf(source, updatableTable(projectId), "event, event_id", old, signal);
}

async function deleteOf(
  source: RetentionSource,
  table: string,
  key: string,
  old: ProjectSnapshot,
  signal: AbortSignal,
): Promise<void> {
  const { connection } = source;
  const all = await sumOfShards(connection, `SELECT count() FROM ${table}`, signal);
  const latest = `SELECT ${key}, max(batch) FROM ${table} WHERE ${isLoaded(old)} GROUP BY ${key}`;
  const rows = await sumOfShards(connection, `SELECT count() FROM ${table} WHERE ${isLoaded(old)}`, signal);
  const kept = await sumOfShards(connection, `SELECT count() FROM (${latest})`, signal);
  if (rows - kept < Math.max(1, all * minPart)) return;
  await deleteRows(source, table, `${isLoaded(old)} AND (${key}, batch) NOT IN (${latest})`, signal);
}
