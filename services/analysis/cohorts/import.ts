import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { quoteText } from "../../../base/text/quote.ts";
import { parseDate } from "../../../base/time/local-time.ts";
import {
  type ClusterHeader,
  ClusterKind,
  type ImportClusterRequest,
  type ImportClusterResponseSchema,
  type ListClustersRequest,
  type ListClustersResponseSchema,
  type ClusterMember as MemberMessage,
} from "../../../gen/engage/analysis/v1/cluster_pb.ts";
import type { CohortMember, CohortVersion } from "../../../store/events/events.ts";
import type { Admission, Admitted } from "../admission/admission.ts";
import type { AnalysisProject, CohortPort } from "../project/project.ts";
import type { AnalysisRefusal } from "../refusal/refusal.ts";
import { refuseQuery } from "../rest/query-body.ts";

const maxNameLength = 100;

/** Reads an import to its end and stores it in one transaction. @throws AnalysisRefusal */
export async function importCluster(
  requests: AsyncIterable<ImportClusterRequest>,
  context: HandlerContext,
  admission: Admission,
  imported: (projectId: number) => void,
): Promise<MessageInitShape<typeof ImportClusterResponseSchema>> {
  const iterator = requests[Symbol.asyncIterator]();
  const first = await iterator.next();
  const content = first.done === true ? undefined : first.value.content;
  if (content?.case !== "header") throw bad("header", "must be the first message");
  const header = content.value;
  const { project, recheck } = admission.admit({ token: header.token, context }, header.projectId);
  const cohorts = portOf(project, header.projectId);
  const version = versionOf(header, cohorts.today());
  const { members, unknown } = await cohorts.importCohort(
    version,
    readMembers(iterator, version, { signal: context.signal, recheck }),
  );
  imported(version.projectId);
  return { members: BigInt(members), unknown: BigInt(unknown), day: version.day };
}

/** @throws AnalysisRefusal */
export async function listClusters(
  { token, projectId }: ListClustersRequest,
  context: HandlerContext,
  admission: Admission,
): Promise<MessageInitShape<typeof ListClustersResponseSchema>> {
  const { project } = admission.admit({ token, context }, projectId);
  const cohorts = await portOf(project, projectId).cohorts(Number(projectId));
  return {
    clusters: cohorts.map(({ name, day, kind, members }) => ({
      name,
      day,
      members: BigInt(members),
      kind: kind === "tag" ? ClusterKind.TAG : ClusterKind.COHORT,
    })),
  };
}

function portOf({ cohorts }: AnalysisProject, projectId: bigint): CohortPort {
  if (cohorts !== undefined) return cohorts;
  throw bad("projectId", `project ${projectId} is served by a platform, which stores its own cohorts`);
}

function versionOf({ projectId, name, day, kind }: ClusterHeader, today: string): CohortVersion {
  if (name === "" || name.length > maxNameLength || /\p{Cc}/u.test(name)) {
    throw bad("name", `is required, valid are 1 to ${maxNameLength} characters without control characters`);
  }
  if (day !== "" && parseDate(day) === undefined) {
    throw bad("day", `${quoteText(day)} is not a day, valid is yyyy-MM-dd`);
  }
  return {
    projectId: Number(projectId),
    name,
    day: day || today,
    kind: kind === ClusterKind.TAG ? "tag" : "cohort",
  };
}

async function* readMembers(
  requests: AsyncIterator<ImportClusterRequest>,
  { kind }: CohortVersion,
  { signal, recheck }: { readonly signal: AbortSignal } & Pick<Admitted, "recheck">,
): AsyncGenerator<readonly CohortMember[]> {
  let count = 0;
  for (;;) {
    signal.throwIfAborted();
    const next = await requests.next();
    // Also at the end: what a removed token has sent is not stored.
    recheck();
    if (next.done === true) return;
    const { content } = next.value;
    if (content.case !== "members") throw bad("members", "must be in every message after the first");
    const before = count;
    count += content.value.members.length;
    yield content.value.members.map((member, i) => memberOf(member, kind, before + i));
  }
}

function memberOf({ id, value }: MemberMessage, kind: CohortVersion["kind"], at: number): CohortMember {
  const field = `members[${at}]`;
  if (id.value === undefined || id.value === "") throw bad(field, "has no id");
  if (kind === "tag" && value === "") throw bad(`${field}.value`, "is required for a tag");
  if (kind === "cohort" && value !== "") throw bad(`${field}.value`, "is only valid for a tag");
  return { [id.case]: id.value, ...(kind === "tag" && { value }) };
}

function bad(field: string, description: string): AnalysisRefusal {
  return refuseQuery([{ field, description }]);
}
