import { emptySchema } from "../events.ts";
import type { Relations } from "../sql/relations.ts";
import {
  clusterRelation,
  dayMs,
  eventsRelation,
  type ProjectTables,
  propertyColumn,
  type StoreTables,
  usersRelation,
} from "./layout.ts";

/** Those that change later aren't counted, and are few. */
function rowsAtMost(
  project: ProjectTables | undefined,
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): number {
  let rows = 0;
  for (const [day, { events }] of project?.days ?? []) {
    if ((day + 1) * dayMs > startMs && day * dayMs < endMs) rows += events;
  }
  return rows;
}

/** A project's tables, as the compiler asks for them. */
export function relationsOf(tables: StoreTables, projectId: number): Relations {
  const project = tables.projects.get(projectId);
  return {
    schema: project?.schema ?? emptySchema,
    rowsAtMost: (range) => rowsAtMost(project, range),
    events: (wanted) => eventsRelation(project, wanted),
    users: (wanted) => usersRelation(project, wanted),
    cluster: (cluster) => clusterRelation(project, cluster),
    column: propertyColumn,
  };
}
