import { dayMs } from "../../../../base/time/units.ts";
import type { ProjectStats, StoreStats } from "../../events.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Connection } from "../connection.ts";
import { isKept, isLoaded, type ProjectSnapshot, updatableTable, usersTable } from "../layout.ts";
import { readRows } from "./row-stream.ts";

export interface StatsSource {
  readonly connection: Connection;
  readonly ledger: Pick<Ledger, "call">;
}

export async function storeStats(
  source: StatsSource,
  projects: readonly ProjectSnapshot[],
): Promise<StoreStats> {
  const bytes = await sumOfShards(
    source.connection,
    "SELECT sum(bytes_on_disk) FROM system.parts WHERE database = currentDatabase() AND active",
  );
  const stats: ProjectStats[] = [];
  for (const project of projects) stats.push(await projectStats(source, project));
  return { bytes, projects: stats };
}

async function projectStats(
  { connection, ledger }: StatsSource,
  project: ProjectSnapshot,
): Promise<ProjectStats> {
  const { projectId, schema } = project;
  const days = await ledger.call("readDays", projectId);
  return {
    projectId,
    days: days.length,
    firstDay: days[0] && dayText(days[0].day),
    lastDay: days.length === 0 ? undefined : dayText(days.at(-1)!.day),
    events: days.reduce((sum, { events }) => sum + events, 0),
    updatableEvents: await sumOfShards(connection, `SELECT count() FROM ${latestEvents(project)}`),
    users: await sumOfShards(
      connection,
      `SELECT count() FROM (SELECT user_id FROM ${usersTable(projectId)} WHERE ${isLoaded(project)} GROUP BY user_id)`,
    ),
    eventNames: schema.events.size,
    properties: schema.properties.size,
  };
}

/** Returns a subquery of the number, id, time, batch and user of each updatable event of a shard. */
export function latestEvents(project: ProjectSnapshot): string {
  const last = `SELECT event, event_id, max((batch, time_ms, is_moved, user_id)) AS last
    FROM ${updatableTable(project.projectId)} WHERE ${isLoaded(project)} GROUP BY event, event_id`;
  const columns = `SELECT event, event_id, last.1 AS batch, last.2 AS time_ms, last.3 AS is_moved, last.4 AS user_id
    FROM (${last})`;
  return `(SELECT * FROM (${columns}) WHERE NOT is_moved AND ${isKept(project)})`;
}

/** Formats a day, such as `2026-01-31`. */
export const dayText = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

/** Aggregation in the order of the keys takes no memory for each group. */
const inOrder = " SETTINGS optimize_aggregation_in_order = 1";

/** Returns the sum of a number of each shard. */
export async function sumOfShards(
  connection: Connection,
  sql: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<number> {
  const parts = await connection.onEach(
    (shard, ended) => readRows<[string]>(connection, shard, { sql: `${sql}${inOrder}`, signal: ended }),
    signal,
  );
  return parts.flat().reduce((sum, [number]) => sum + Number(number), 0);
}
