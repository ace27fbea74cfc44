import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { onTestFinished } from "vitest";
import { sha256Hex } from "../../../base/text/digest.ts";
import { createAccessLog } from "../../../gateway/access-log.ts";
import { createGateway } from "../../../gateway/gateway.ts";
import { defaultLimits } from "../../../gateway/limits.ts";
import { serve } from "../../../gateway/methods.ts";
import { createMetrics } from "../../../gateway/metrics/metrics.ts";
import { AnalysisProxy } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { createHeadAdmission } from "../../../services/analysis/admission/admission.ts";
import { createTokenList, type TokenRule } from "../../../services/analysis/admission/tokens.ts";
import { type AnalysisProxyOptions, createAnalysisProxy } from "../../../services/analysis/analysis.ts";
import type { AnalysisEngine, EngineCall } from "../../../services/analysis/engine.ts";
import type { AnalysisObserver } from "../../../services/analysis/observer.ts";
import type { AnalysisProject } from "../../../services/analysis/project/project.ts";
import { returnCodesByStatus } from "../../../services/analysis/refusal/refusal.ts";
import { queryBounds } from "../../../services/analysis/rest/query-body.ts";
import { createAnalysisCodecs } from "../../../services/analysis/rest/rest.ts";
import { createLog } from "./log.ts";

/** Returns an engine with the methods that a test defines; the others fail. */
export function fakeEngine(methods: Partial<AnalysisEngine>): AnalysisEngine {
  const refuse = () => {
    throw new Error("the test does not ask for this");
  };
  return {
    analyze: refuse,
    listUsers: refuse,
    download: refuse,
    downloadUsers: refuse,
    version: () => 1,
    ...methods,
  };
}

export const tokens: readonly TokenRule[] = [
  { name: "one", sha256: sha256Hex("token-one"), projects: [1] },
  { name: "root", sha256: sha256Hex("token-root"), projects: "*" },
  {
    name: "slow",
    sha256: sha256Hex("token-slow"),
    projects: [1],
    rateLimit: { perSecond: 0.001, burst: 2 },
  },
];

export const style = { percentAs: "percent" } as const;

export interface ProxyOptions extends Partial<Omit<AnalysisProxyOptions, "projects">> {
  readonly engine?: Partial<AnalysisEngine>;
  readonly cohorts?: AnalysisProject["cohorts"];
}

/** The service on a port of loopback, in front of projects 1 and 2; drained when the test ends. */
export async function openProxy({ engine = {}, cohorts, ...options }: ProxyOptions = {}) {
  const faults: unknown[] = [];
  const finished: string[] = [];
  const sources: string[] = [];
  const { logger, text: logged } = createLog();
  const project = {
    engine: fakeEngine(engine),
    engineName: "embedded" as const,
    ...(cohorts && { cohorts }),
  };
  const platform = { engine: fakeEngine(engine), engineName: "platform" as const };
  const book = options.tokens ?? createTokenList(tokens);
  const observer: AnalysisObserver = options.observer ?? {
    started: () => undefined,
    resultSent: (operation, source) => void sources.push(`${operation} ${source}`),
    finished: (operation, name, outcome) => void finished.push(`${operation} ${name} ${outcome}`),
  };
  const proxy = createAnalysisProxy({
    projects: new Map<number, AnalysisProject>([
      [1, project],
      [2, platform],
    ]),
    rateLimit: () => undefined,
    cacheMaxBytes: () => 1_000_000,
    style,
    now: () => 0,
    monotonic: () => 0,
    readerStallMs: () => 60_000,
    ...options,
    tokens: book,
    observer,
  });
  const metrics = createMetrics({ process: false });
  const gateway = createGateway({
    services: [
      serve(AnalysisProxy, proxy, {
        json: queryBounds,
        admit: createHeadAdmission(book, observer),
        returnCodes: returnCodesByStatus,
      }),
    ],
    limits: defaultLimits,
    authorize: () => {},
    observers: [createAccessLog(logger)],
    reportFault: (error) => {
      faults.push(error);
      logger.error({ err: error }, "call failed");
    },
    codecs: createAnalysisCodecs(style),
    pages: { checks: () => ({}), metrics, reportFault: (error) => void faults.push(error) },
  });
  const { port } = await gateway.listen("127.0.0.1", 0);
  onTestFinished(() => gateway.drain(0));
  const url = `http://127.0.0.1:${port}`;
  const client = createClient(AnalysisProxy, createGrpcTransport({ baseUrl: url }));
  return {
    url,
    client,
    faults,
    finished,
    sources,
    logged,
    async rest(
      path: string,
      body: unknown,
      { query = "?token=token-one", headers = {}, ...init } = {} as RestOptions,
    ) {
      const response = await fetch(`${url}/open/${path}${query}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        ...init,
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
      return {
        status: response.status,
        type: response.headers.get("content-type"),
        text: await response.text(),
      };
    },
  };
}

interface RestOptions {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A query that the codecs take. */
export const minimal = {
  projectId: 1,
  eventView: { recentDay: "1-7", timeParticleSize: "day" },
  events: [{ type: "normal", eventName: "login", analysis: "TOTAL_TIMES" }],
};

/** Waits until its signal is aborted, and tells so. */
export function endless(seen: EngineCall[]): (query: unknown, call: EngineCall) => Promise<never> {
  return (_query, call) => {
    seen.push(call);
    return new Promise((_, reject) => {
      call.signal.addEventListener("abort", () => reject(call.signal.reason));
    });
  };
}
