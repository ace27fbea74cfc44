import { bare, listKnown } from "../../base/text/known-names.ts";

/** Says which projects are configured, to follow a message that one is missing or not known. */
export function listProjects(ids: readonly (number | string)[]): string {
  return listKnown(ids.map(String), { write: bare, none: "projects is empty" });
}

export function noProject(id: number | string, ids: readonly (number | string)[]): string {
  return `there is no project ${id}, ${listProjects(ids)}`;
}
