import type { ServiceImpl } from "@connectrpc/connect";
import type { RateLimit } from "../../base/async/token-bucket.ts";
import { kResponseAttachment } from "../../base/rpc/rest-codec.ts";
import type { AnalysisProxy } from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { EventUserQuerySchema } from "../../gen/engage/analysis/v1/query_pb.ts";
import { type Admission, createAdmission } from "./admission/admission.ts";
import type { TokenBook } from "./admission/tokens.ts";
import { createAnswers } from "./cache/answers.ts";
import { admitQuery, eachWithinTime, runCall, streamCall, withinTime } from "./calls.ts";
import { importCluster, listClusters } from "./cohorts/import.ts";
import { faultsOfChoice, styleDownload } from "./downloads.ts";
import type { AnalysisObserver } from "./observer.ts";
import { createForwardQuery } from "./platform/forward.ts";
import type { AnalysisProject } from "./project/project.ts";
import { encodeParts } from "./rest/encode-parts.ts";
import type { ValueStyle } from "./rest/fast-format.ts";
import { writeAnalysis } from "./rest/write-analysis.ts";
import { writeUsers } from "./rest/write-users.ts";
import { faultsOfTimeout, maxSeconds, secondsOf } from "./time-limit.ts";

export interface AnalysisProxyOptions {
  readonly projects: ReadonlyMap<number, AnalysisProject>;
  readonly tokens: TokenBook;
  /** Of each token without a limit of its own; undefined for none. */
  readonly rateLimit: RateLimit | undefined;
  /** Of all kept results together; 0 keeps none. */
  readonly cacheMaxBytes: number;
  /** A stream ends when its reader takes nothing for this long. */
  readonly readerStallMs: number;
  /** How values are written over REST, as the codecs have it. */
  readonly style: ValueStyle;
  readonly observer: AnalysisObserver;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds that never go back. */
  readonly monotonic: () => number;
}

/** The service: who may ask, for how long and how often, before the engine of a project that answers. */
export function createAnalysisProxy(options: AnalysisProxyOptions): ServiceImpl<typeof AnalysisProxy> {
  const { projects, observer, style } = options;
  const admission = createAdmission(options);
  const answers = createAnswers(options);
  const forwardQuery = createForwardQuery({
    engines: [...projects.values()].map(({ engine }) => engine),
    engineOf: (projectId) => projects.get(projectId)?.engine,
    authorize: ({ token }, projectId, { requestHeader }) =>
      void admission.admit({ token, header: requestHeader }, projectId),
  });

  return {
    analyzeEvents: (request, context) =>
      runCall(observer, "analyze", context.signal, async (notes) => {
        const faults = faultsOfTimeout(request.query?.timeoutSeconds);
        const call = await admitQuery(request, context, admission, faults);
        notes.engine = call.project.engineName;
        const { project, asker, query, rest } = call;
        return await withinTime(context.signal, secondsOf(query.timeoutSeconds), async (signal) => {
          const run = (runSignal: AbortSignal) =>
            project.engine.analyze(query, { signal: runSignal, asker, rest });
          const { answer, source } = await answers.analyze({ ...call, signal, run });
          observer.answered("analyze", source);
          if (rest !== undefined) {
            const json = answer.json ?? (await encodeParts(writeAnalysis(answer.message, style), signal));
            context.values.set(kResponseAttachment, json);
          }
          return answer.message;
        });
      }),
    listEventUsers: (request, context) =>
      runCall(observer, "list_users", context.signal, async (notes) => {
        const faults = faultsOfTimeout(request.query?.timeoutSeconds);
        const call = await admitQuery(request, context, admission, faults);
        notes.engine = call.project.engineName;
        const { project, asker, query, rest } = call;
        return await withinTime(context.signal, secondsOf(query.timeoutSeconds), async (signal) => {
          const run = (runSignal: AbortSignal) =>
            project.engine.listUsers(query, { signal: runSignal, asker, rest });
          const { answer, source } = await answers.list(EventUserQuerySchema, { ...call, signal, run });
          observer.answered("list_users", source);
          if (rest !== undefined) {
            const json = answer.json ?? (await encodeParts(writeUsers(answer.message), signal));
            context.values.set(kResponseAttachment, json);
          }
          return answer.message;
        });
      }),
    ...createDownloads(options, admission),
    forwardQuery: (request, context) =>
      streamCall(observer, "forward", context.signal, (notes) => {
        notes.engine = "platform";
        const times = { seconds: maxSeconds, stallMs: options.readerStallMs };
        return eachWithinTime(context.signal, times, (signal) => forwardQuery(request, context, signal));
      }),
    importCluster: (requests, context) =>
      runCall(observer, "import_cluster", context.signal, async () => {
        return await importCluster(requests, context, admission, answers.clusterImported);
      }),
    listClusters: (request, context) =>
      runCall(observer, "list_clusters", context.signal, () => listClusters(request, context, admission)),
  };
}

type Downloads = Pick<ServiceImpl<typeof AnalysisProxy>, "downloadEvents" | "downloadEventUsers">;

function createDownloads(
  { observer, readerStallMs }: Pick<AnalysisProxyOptions, "observer" | "readerStallMs">,
  admission: Admission,
): Downloads {
  const times = { seconds: maxSeconds, stallMs: readerStallMs };
  return {
    downloadEvents: (request, context) =>
      streamCall(observer, "download", context.signal, async function* (notes) {
        const call = await admitQuery(request, context, admission, faultsOfChoice(request));
        const { project, asker, query, rest } = call;
        notes.engine = project.engineName;
        const header = rest && context.responseHeader;
        yield* eachWithinTime(context.signal, times, (signal) =>
          styleDownload(project.engine.download(query, { signal, asker, rest }), request, header),
        );
      }),
    downloadEventUsers: (request, context) =>
      streamCall(observer, "download_users", context.signal, async function* (notes) {
        const call = await admitQuery(request, context, admission, faultsOfChoice(request));
        const { project, asker, query, rest } = call;
        notes.engine = project.engineName;
        const header = rest && context.responseHeader;
        yield* eachWithinTime(context.signal, times, (signal) =>
          styleDownload(project.engine.downloadUsers(query, { signal, asker, rest }), request, header),
        );
      }),
  };
}
