import { dayMs } from "../../../../base/time/units.ts";
import type { CompactOptions, CompactReport } from "../../events.ts";
import type { LedgerDay } from "../../ledger/upkeep.ts";
import { onCluster } from "../ddl/tables.ts";
import { eventsTable } from "../layout.ts";
import type { Project } from "../projects.ts";
import { deleteGarbage } from "./garbage.ts";
import { deleteDropped, dropExpired, type RetentionSource } from "./retention.ts";
import { deleteSuperseded } from "./superseded.ts";

export interface CompactSource extends RetentionSource {
  /** Finishes removals of names and deletions of events that another process began before it died. */
  finishRemoval(projectId: number): Promise<void>;
}

/** A partition of events contains this many days. */
const partitionDays = 30;

/**
 * Deletes what no request needs any more, drops expired days, and settles closed days. The parts of the
 * engine are sorted from the start; those of a closed month are merged to one, which the engine does not
 * do by itself when they are large.
 */
export async function compact(source: CompactSource, options: CompactOptions): Promise<CompactReport> {
  const { nowMs, keepDays, signal, onProgress } = options;
  signal.throwIfAborted();
  const today = Math.floor(nowMs / dayMs);
  await deleteGarbage(source, signal);
  const dropped = await dropExpired(source, today, keepDays, signal);
  let rewrittenDays = 0;
  const all = await source.projects.snapshots();
  for (const [at, project] of all.entries()) {
    signal.throwIfAborted();
    onProgress?.(at, all.length);
    await source.finishRemoval(project.projectId);
    await deleteDropped(source, project.projectId, signal);
    if (project.watermark > 0) await deleteSuperseded(source, project, signal);
    rewrittenDays += await settleDays(source, project, today, signal);
  }
  return { rewrittenDays, ...dropped };
}

async function settleDays(
  source: CompactSource,
  { projectId }: Project,
  today: number,
  signal: AbortSignal,
): Promise<number> {
  const { ledger } = source;
  const days = (await ledger.call("readDays", projectId)).filter(
    ({ day, isSettled }) => day < today && !isSettled,
  );
  const isClosed = (partition: number): boolean => (partition + 1) * partitionDays <= today;
  for (const partition of new Set(days.map(partitionOf))) {
    if (isClosed(partition)) await mergeParts(source, eventsTable(projectId), partition, signal);
  }
  let settled = 0;
  for (const day of days) {
    signal.throwIfAborted();
    if (await ledger.call("settleDay", projectId, day)) settled++;
  }
  return settled;
}

const partitionOf = ({ day }: LedgerDay): number => Math.trunc(day / partitionDays);

async function mergeParts(
  { connection, ddl }: CompactSource,
  table: string,
  partition: number,
  signal: AbortSignal,
): Promise<void> {
  await connection.onEach(async (shard, ended) => {
    const [row] = await connection.rows<[string]>(shard, {
      sql: `SELECT count() FROM system.parts WHERE database = currentDatabase() AND active
        AND table = '${table}' AND partition = '${partition}'`,
      signal: ended,
    });
    if (Number(row?.[0]) < 2) return;
    const sql = `OPTIMIZE TABLE ${table}${onCluster(ddl.cluster)} PARTITION ${partition} FINAL`;
    await connection.command(shard, { sql, signal: ended });
  }, signal);
}
