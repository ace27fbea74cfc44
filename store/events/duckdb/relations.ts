import { emptySchema } from "../events.ts";
import type { Relations } from "../sql/relations.ts";
import {
  clusterRelation,
  eventsRelation,
  propertyColumn,
  type StoreTables,
  usersRelation,
} from "./layout.ts";

/** A project's tables, as the compiler asks for them. */
export function relationsOf(tables: StoreTables, projectId: number): Relations {
  const project = tables.projects.get(projectId);
  return {
    schema: project?.schema ?? emptySchema,
    events: (wanted) => eventsRelation(project, wanted),
    users: (wanted) => usersRelation(project, wanted),
    cluster: (cluster) => clusterRelation(project, cluster),
    column: propertyColumn,
  };
}
