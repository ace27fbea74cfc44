import {
  isKept,
  isLoaded,
  type ProjectSnapshot,
  updatableTable,
  usersTable,
  visitorsTable,
} from "../layout.ts";

/** Returns the condition for the latest rows of updatable events. */
export function isLatestUpdatable(project: ProjectSnapshot): string {
  return `(event, event_id, batch) IN (
    SELECT event, event_id, max(batch) FROM ${updatableTable(project.projectId)}
    WHERE ${isLoaded(project)} GROUP BY event, event_id)
    AND NOT is_moved AND ${isKept(project)}`;
}

/** Returns the condition for the latest rows of users. */
export function isLatestUser(project: ProjectSnapshot): string {
  return `(user_id, batch) IN (
    SELECT user_id, max(batch) FROM ${usersTable(project.projectId)} WHERE ${isLoaded(project)} GROUP BY user_id)`;
}

/** Returns a subquery of the visitors of a shard, each once, with the user with whom it appeared first. */
export function visitorsRelation(project: ProjectSnapshot, where = "true"): string {
  return `(SELECT distinct_id, argMin(user_id, batch) AS user_id FROM ${visitorsTable(project.projectId)}
    WHERE ${isLoaded(project)} AND ${where} GROUP BY distinct_id)`;
}
