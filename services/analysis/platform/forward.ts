import { getOption } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { describeJsonExcess, findJsonExcess } from "../../../base/json/bounds.ts";
import { quoteText, shorten } from "../../../base/text/quote.ts";
import {
  AnalysisProxy,
  type ForwardQueryRequest,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { http } from "../../../gen/google/api/annotations_pb.ts";
import type { HttpBody } from "../../../gen/google/api/httpbody_pb.ts";
import { type Admitted, whileAdmitted } from "../admission/admission.ts";
import type { AnalysisEngine } from "../engine.ts";
import { AnalysisRefusal, returnCodes } from "../refusal/refusal.ts";
import { queryBounds, refuseQuery } from "../rest/query-body.ts";
import type { PlatformEngine } from "./platform.ts";

export interface ForwardDeps {
  /** All engines, to detect paths that none of them accepts. */
  readonly engines: readonly AnalysisEngine[];
  /** Returns the engine of a project; undefined if there is no such project. */
  readonly engineOf: (projectId: number) => AnalysisEngine | undefined;
  /** Checks that the caller may query a project. @throws AnalysisRefusal */
  readonly authorize: (
    request: ForwardQueryRequest,
    projectId: number,
    context: HandlerContext,
  ) => Pick<Admitted, "trace" | "recheck">;
}

/**
 * Creates `ForwardQuery`, which passes other queries of the platform's API through. A path that no engine accepts does
 * not exist, for any caller.
 * @throws AnalysisRefusal
 */
export function createForwardQuery({ engines, engineOf, authorize }: ForwardDeps) {
  return async function* forwardQuery(
    request: ForwardQueryRequest,
    context: HandlerContext,
    signal: AbortSignal,
  ): AsyncGenerator<HttpBody> {
    const { path } = request;
    if (!engines.some((engine) => forwards(engine, path))) throw pathNotFound(path);
    const body = request.body?.data ?? new Uint8Array();
    requireBounds(body);
    const projectId = projectIdOf(body);
    const { trace, recheck } = authorize(request, projectId, context);
    const engine = engineOf(projectId);
    if (engine === undefined || !forwards(engine, path)) throw pathNotFound(path);
    const search = searchOf(request, context);
    yield* whileAdmitted(engine.forward({ path, projectId, body, search, trace }, signal), recheck);
  };
}

function forwards(engine: AnalysisEngine, path: string): engine is PlatformEngine {
  return "forwards" in engine && (engine as PlatformEngine).forwards(path);
}

/** Paths that this service implements, whatever the engine. */
const ownPaths: readonly string[] = AnalysisProxy.methods.flatMap((method) => {
  const { pattern } = getOption(method, http);
  return pattern.case === "post" && pattern.value.startsWith("/open/") && !pattern.value.includes("{")
    ? [pattern.value]
    : [];
});

function pathNotFound(path: string): AnalysisRefusal {
  const message = `nothing is served at ${quoteText(`/open/${path}`)}, valid are ${ownPaths.join(", ")} and the paths in analysis.platform.paths; /docs describes them`;
  return new AnalysisRefusal(returnCodes.parameter, message, { httpStatus: 404 });
}

/** Returns the parameters of the URL over REST, otherwise those of the message; never a token. */
function searchOf({ parameters }: ForwardQueryRequest, { url }: HandlerContext): URLSearchParams {
  const { searchParams } = new URL(url);
  const search = new URLSearchParams(searchParams.size === 0 ? parameters : searchParams);
  search.delete("token");
  return search;
}

function requireBounds(body: Uint8Array): void {
  const excess = findJsonExcess(body, queryBounds);
  if (excess !== undefined) throw refuseQuery([{ field: "body", description: describeJsonExcess(excess) }]);
}

function projectIdOf(body: Uint8Array): number {
  const json = parse(body);
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw new AnalysisRefusal(returnCodes.parameter, "the body is not a JSON object in UTF-8");
  }
  const { projectId } = json as { projectId?: unknown };
  const id = typeof projectId === "string" && /^\d{1,16}$/.test(projectId) ? Number(projectId) : projectId;
  if (Number.isSafeInteger(id) && (id as number) > 0) return id as number;
  const description =
    projectId === undefined
      ? "is required"
      : `${typeof projectId === "string" ? quoteText(projectId) : shorten(JSON.stringify(projectId))} is not a project id, valid is a whole number above 0`;
  throw new AnalysisRefusal(returnCodes.parameter, `projectId: ${description}`, {
    violations: [{ field: "projectId", description }],
  });
}

/** Returns undefined if the bytes are not JSON in UTF-8. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
