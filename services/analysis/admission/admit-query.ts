import type { HandlerContext } from "@connectrpc/connect";
import { kRequestAttachment } from "../../../base/rpc/rest-codec.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import type { Trace } from "../../../base/trace/trace.ts";
import type { AnyQuery, RestCall } from "../engine.ts";
import type { AnalysisProject } from "../project/project.ts";
import { mergeViolations } from "../refusal/merge-violations.ts";
import { type QueryOrigin, refuseQuery } from "../rest/query-body.ts";
import type { CallInfo } from "../run-call.ts";
import type { Admission, Admitted } from "./admission.ts";

/** Members of all requests. */
interface QueryRequest<Query extends AnyQuery> {
  readonly token: string;
  readonly query?: Query | undefined;
}

/** An admitted query. */
export interface QueryCall<Query> {
  readonly project: AnalysisProject;
  /** Name of the token or key for which it runs. */
  readonly caller: string;
  readonly query: Query;
  readonly rest: RestCall | undefined;
  readonly trace: Trace | undefined;
  /** See Admitted. */
  readonly recheck: Admitted["recheck"];
}

/**
 * Returns the query of a request if its caller has access to the project.
 * @param faults faults of the request outside of its query
 * @param notes gets the engine of the project
 * @throws AnalysisRefusal with all faults that can be found
 */
export async function admitQuery<Query extends AnyQuery>(
  { token, query }: QueryRequest<Query>,
  context: HandlerContext,
  admission: Admission,
  faults: readonly Violation[],
  notes: CallInfo,
): Promise<QueryCall<Query>> {
  const origin = context.values.get(kRequestAttachment) as QueryOrigin | undefined;
  const form = query === undefined ? [missingQuery] : [...(origin?.refusal?.violations ?? []), ...faults];
  const { project, caller, trace, recheck } = admission.admit(
    { token, context },
    query?.projectId ?? 0n,
    form,
  );
  if (query === undefined || form.length > 0) {
    const meaning = query && (await project.engine.faultsOf?.(query, context.signal));
    throw refuseQuery(mergeViolations(form, meaning ?? []));
  }
  notes.engine = project.engineName;
  const rest = origin && { body: origin.body, search: searchOf(context) };
  return { project, caller, query, rest, trace, recheck };
}

const missingQuery: Violation = { field: "query", description: "is required" };

function searchOf({ url }: HandlerContext): URLSearchParams {
  const { searchParams } = new URL(url);
  searchParams.delete("token");
  return searchParams;
}
