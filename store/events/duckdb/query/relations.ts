import { dayMs } from "../../../../base/time/units.ts";
import { emptySchema } from "../../events.ts";
import type { Scan } from "../../scan.ts";
import type { Relations } from "../../sql/relations.ts";
import { looksAtOneSet } from "../../sql/shared-rows.ts";
import type { Query } from "../connection.ts";
import {
  clusterRelation,
  eventsRelation,
  type ProjectTables,
  propertyColumn,
  type StoreTables,
  usersRelation,
} from "../layout.ts";
import { ResultRows } from "./rows.ts";

type Range = { readonly startMs: number; readonly endMs: number };

/** @param updatableRows of the range; without them nothing is known when there are any */
function rowsAtMost(
  project: ProjectTables | undefined,
  { startMs, endMs }: Range,
  updatableRows = Number.POSITIVE_INFINITY,
): number {
  let rows = project?.updatable === undefined ? 0 : updatableRows;
  for (const [day, { events }] of project?.days ?? []) {
    if ((day + 1) * dayMs > startMs && day * dayMs < endMs) rows += events;
  }
  return rows;
}

/** A project's tables, as the compiler asks for them. */
export function relationsOf(tables: StoreTables, projectId: number, updatableRows?: number): Relations {
  const project = tables.projects.get(projectId);
  return {
    schema: project?.schema ?? emptySchema,
    rowsAtMost: (range) => rowsAtMost(project, range, updatableRows),
    events: (wanted) => eventsRelation(project, wanted),
    users: (wanted) => usersRelation(project, wanted),
    cluster: (cluster) => clusterRelation(project, cluster),
    column: propertyColumn,
  };
}

/** The same for a scan: events that may change, which no table of a day counts, are counted where their number matters. */
export async function relationsFor(query: Query, scan: Scan): Promise<Relations> {
  const { projectId, buckets } = scan;
  const updatable = query.tables.projects.get(projectId)?.updatable;
  if (updatable === undefined || !looksAtOneSet(scan)) return relationsOf(query.tables, projectId);
  const rows = new ResultRows(await query.run(countText(updatable.table, buckets)));
  rows.moveTo(0);
  return relationsOf(query.tables, projectId, Number(rows.value(0)));
}

const countText = (table: string, { startMs, endMs }: Range): string =>
  `SELECT count(*) FROM ${table} WHERE time_ms >= ${Math.floor(startMs)} AND time_ms < ${Math.ceil(endMs)}`;
