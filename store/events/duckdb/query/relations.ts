import { dayMs } from "../../../../base/time/units.ts";
import { emptySchema } from "../../events.ts";
import type { Scan } from "../../scan.ts";
import type { Relations } from "../../sql/relations.ts";
import { readsOneSet } from "../../sql/shared-rows.ts";
import {
  cohortRelation,
  eventsRelation,
  type ProjectTables,
  propertyColumn,
  type StoreTables,
  usersRelation,
} from "../layout.ts";
import type { Query } from "./query.ts";
import { ResultRows } from "./rows.ts";

type Range = { readonly startMs: number; readonly endMs: number };

/** @param updatableRows the number of updatable rows in the range; unknown without it */
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

/** Returns a project's tables in the form that the compiler needs. */
export function relationsOf(tables: StoreTables, projectId: number): Relations {
  const project = tables.projects.get(projectId);
  return {
    schema: project?.schema ?? emptySchema,
    rowsAtMost: (range) => rowsAtMost(project, range),
    isDividedAt: (ms) => project?.updatable === undefined && ms % dayMs === 0,
    events: (wanted) => eventsRelation(project, wanted),
    users: (wanted) => usersRelation(project, wanted),
    cohort: (cohort) => cohortRelation(project, cohort),
    column: propertyColumn,
  };
}

/** Returns the same relations with a random share of the rows of events. */
export function sampled(
  relations: Relations,
  { tables }: Query,
  projectId: number,
  share: number,
): Relations {
  const project = tables.projects.get(projectId);
  return {
    ...relations,
    rowsAtMost: (range) => relations.rowsAtMost(range) * share,
    events: (wanted) => eventsRelation(project, { ...wanted, share }),
  };
}

/** As `relationsOf`, with what is known of the texts of properties, on the days of a range. */
export async function queryRelations(query: Query, projectId: number, range?: Range): Promise<Relations> {
  const fewTexts = await query.fewTexts.of(query, projectId, range);
  return { ...relationsOf(query.tables, projectId), fewTexts };
}

/**
 * As `queryRelations`, for a scan: counts updatable events, which no table of a day counts, where their
 * number matters.
 */
export async function relationsFor(query: Query, scan: Scan): Promise<Relations> {
  const { projectId, buckets } = scan;
  const relations = await queryRelations(query, projectId, buckets);
  const project = query.tables.projects.get(projectId);
  const needsRows = readsOneSet(scan) || scan.measures.some(({ aggregate }) => aggregate.kind === "quantile");
  if (project?.updatable === undefined || !needsRows) return relations;
  const rows = new ResultRows(await query.run(countText(project.updatable.table, buckets)));
  rows.moveTo(0);
  const updatableRows = Number(rows.value(0));
  return { ...relations, rowsAtMost: (range) => rowsAtMost(project, range, updatableRows) };
}

const countText = (table: string, { startMs, endMs }: Range): string =>
  `SELECT count(*) FROM ${table} WHERE time_ms >= ${Math.floor(startMs)} AND time_ms < ${Math.ceil(endMs)}`;
