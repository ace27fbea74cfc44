import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import { bare, listKnown } from "../../../base/text/known-names.ts";
import type { AnalysisProject } from "../project/project.ts";
import { AnalysisRefusal, returnCodes } from "../refusal/refusal.ts";
import type { Reach } from "./admission.ts";

/** A project that a caller can query. */
export interface ReachedProject {
  readonly projectId: number;
  readonly project: AnalysisProject;
  /** Name of the token or key. */
  readonly caller: string;
}

/** Returns the project with an id. @throws InvalidFieldsError, AnalysisRefusal when there may be one out of reach */
export function findReached({ projects, isLimited, caller }: Reach, given: bigint): ReachedProject {
  const projectId = Number(given);
  if (projectId === 0) refuseField("project_id", "is required");
  const project = projects.get(projectId);
  if (project !== undefined) return { projectId, project, caller };
  if (isLimited) throw new AnalysisRefusal(returnCodes.token, `the token has no access to project ${given}`);
  return refuseField(
    "project_id",
    `is ${given}, ${listKnown([...projects.keys()].map(String), { write: bare })}`,
  );
}
