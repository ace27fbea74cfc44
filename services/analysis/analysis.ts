import type { Message } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { RateLimit } from "../../base/async/token-bucket.ts";
import { kResponseAttachment } from "../../base/rpc/rest-codec.ts";
import type { AnalysisProxy } from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { EventUserQuerySchema } from "../../gen/engage/analysis/v1/query_pb.ts";
import { type Admission, createAdmission, whileAdmitted } from "./admission/admission.ts";
import { admitQuery } from "./admission/admit-query.ts";
import type { TokenList } from "./admission/tokens.ts";
import { createCachedResults } from "./cache/cached-results.ts";
import { importCluster, listClusters } from "./cohorts/import.ts";
import { faultsOfChoice, styleDownload } from "./downloads.ts";
import type { EngineResponse } from "./engine.ts";
import type { AnalysisObserver } from "./observer.ts";
import { createForwardQuery } from "./platform/forward.ts";
import type { AnalysisProject } from "./project/project.ts";
import { encodeParts } from "./rest/encode-parts.ts";
import type { ValueStyle } from "./rest/fast-format.ts";
import { writeAnalysis } from "./rest/write-analysis.ts";
import { writeUsers } from "./rest/write-users.ts";
import { eachWithinTime, runCall, streamCall, withinTime } from "./run-call.ts";
import { faultsOfTimeout, maxSeconds, secondsOf } from "./time-limit.ts";

export interface AnalysisProxyOptions {
  readonly projects: ReadonlyMap<number, AnalysisProject>;
  readonly tokens: TokenList;
  /** Returns the rate limit of tokens without a limit of their own; undefined for none. */
  readonly rateLimit: () => RateLimit | undefined;
  /** Returns the most bytes of all cached results; 0 caches none. */
  readonly cacheMaxBytes: () => number;
  /** A stream ends when its client reads nothing for as long as this returns at its start. */
  readonly readerStallMs: () => number;
  /** How values are written over REST; the same as that of the codecs. */
  readonly style: ValueStyle;
  readonly observer: AnalysisObserver;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
}

/**
 * The AnalysisProxy service: checks the token, its rate limit and the time limit of a query, then runs the query on the
 * engine of its project.
 *
 * - `admission/`: tokens, rate limits and the query of a call; `run-call.ts`, `time-limit.ts`: shared by all calls
 * - `engine.ts`: the interface of engines; `project/`: a project and its definitions
 * - `embedded/`: the engine that queries the event store: `describe/` turns a query into a plan, the store runs it,
 *   `shape/` turns the rows into the result
 * - `platform/`: the engine that forwards queries to a deployment of the platform
 * - `cache/`: cached results, and equal queries that run once
 * - `rest/`: the platform's JSON and CSV; `refusal/`: errors
 * - `cohorts/`: imports of cohorts and tags; `catalog/`: the Catalog service, of what queries can name;
 *   `saved/`: the SavedQueries service
 *
 * @param admission shared with other services of the same tokens
 */
export function createAnalysisProxy(
  options: AnalysisProxyOptions,
  admission: Admission = createAdmission(options),
): ServiceImpl<typeof AnalysisProxy> {
  const { projects, observer, style } = options;
  const results = createCachedResults(options);
  const forwardQuery = createForwardQuery({
    engines: [...projects.values()].map(({ engine }) => engine),
    engineOf: (projectId) => projects.get(projectId)?.engine,
    authorize: ({ token }, projectId, context) => admission.admit({ token, context }, projectId),
  });

  return {
    analyzeEvents: (request, context) =>
      runCall(observer, "analyze", context.signal, async (notes) => {
        const faults = faultsOfTimeout(request.query?.timeoutSeconds);
        const call = await admitQuery(request, context, admission, faults, notes);
        return await withinTime(context.signal, secondsOf(call.query.timeoutSeconds), async (signal) => {
          const run = (own: AbortSignal) => call.project.engine.analyze(call.query, { ...call, signal: own });
          const { response, source } = await results.analyze({ ...call, signal, run });
          observer.resultSent("analyze", source);
          if (call.rest !== undefined)
            await attachJson(context, response, writeAnalysis(response.message, style), signal);
          return response.message;
        });
      }),
    listEventUsers: (request, context) =>
      runCall(observer, "list_users", context.signal, async (notes) => {
        const faults = faultsOfTimeout(request.query?.timeoutSeconds);
        const call = await admitQuery(request, context, admission, faults, notes);
        return await withinTime(context.signal, secondsOf(call.query.timeoutSeconds), async (signal) => {
          const run = (own: AbortSignal) =>
            call.project.engine.listUsers(call.query, { ...call, signal: own });
          const { response, source } = await results.list(EventUserQuerySchema, { ...call, signal, run });
          observer.resultSent("list_users", source);
          if (call.rest !== undefined)
            await attachJson(context, response, writeUsers(response.message), signal);
          return response.message;
        });
      }),
    ...createDownloads(options, admission),
    forwardQuery: (request, context) =>
      streamCall(observer, "forward", context.signal, (notes) => {
        notes.engine = "platform";
        const times = { seconds: maxSeconds, stallMs: options.readerStallMs() };
        return eachWithinTime(context.signal, times, (signal) => forwardQuery(request, context, signal));
      }),
    importCluster: (requests, context) =>
      runCall(observer, "import_cluster", context.signal, async () => {
        return await importCluster(requests, context, admission, results.cohortImported);
      }),
    listClusters: (request, context) =>
      runCall(observer, "list_clusters", context.signal, () => listClusters(request, context, admission)),
  };
}

/** Attaches the bytes of a response over REST, which the engine may have written. */
async function attachJson(
  { values }: HandlerContext,
  { json }: EngineResponse<Message>,
  parts: Iterable<string>,
  signal: AbortSignal,
): Promise<void> {
  values.set(kResponseAttachment, json ?? (await encodeParts(parts, signal)));
}

type Downloads = Pick<ServiceImpl<typeof AnalysisProxy>, "downloadEvents" | "downloadEventUsers">;

function createDownloads(
  { observer, readerStallMs }: Pick<AnalysisProxyOptions, "observer" | "readerStallMs">,
  admission: Admission,
): Downloads {
  const times = () => ({ seconds: maxSeconds, stallMs: readerStallMs() });
  return {
    downloadEvents: (request, context) =>
      streamCall(observer, "download", context.signal, async function* (notes) {
        const call = await admitQuery(request, context, admission, faultsOfChoice(request), notes);
        const header = call.rest && context.responseHeader;
        const rows = eachWithinTime(context.signal, times(), (signal) =>
          styleDownload(call.project.engine.download(call.query, { ...call, signal }), request, header),
        );
        yield* whileAdmitted(rows, call.recheck);
      }),
    downloadEventUsers: (request, context) =>
      streamCall(observer, "download_users", context.signal, async function* (notes) {
        const call = await admitQuery(request, context, admission, faultsOfChoice(request), notes);
        const header = call.rest && context.responseHeader;
        const rows = eachWithinTime(context.signal, times(), (signal) =>
          styleDownload(call.project.engine.downloadUsers(call.query, { ...call, signal }), request, header),
        );
        yield* whileAdmitted(rows, call.recheck);
      }),
  };
}
