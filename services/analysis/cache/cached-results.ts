import { hash } from "node:crypto";
import { type DescMessage, type Message, toBinary } from "@bufbuild/protobuf";
import { createYield } from "../../../base/async/yield.ts";
import { LruCache } from "../../../base/cache/lru-cache.ts";
import type { AnalyzeEventsResponse } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { type EventQuery, EventQuerySchema } from "../../../gen/engage/analysis/v1/query_pb.ts";
import type { Group } from "../../../gen/engage/analysis/v1/result_pb.ts";
import type { EngineResponse, RestCall } from "../engine.ts";
import type { ResultSource } from "../observer.ts";
import type { AnalysisProject } from "../project/project.ts";
import { createSharedRuns } from "./shared-runs.ts";

/** A query and how it is run. */
export interface QueryRun<Query extends Message, Response extends Message> {
  readonly project: AnalysisProject;
  readonly query: Query & { readonly projectId: bigint };
  readonly rest: RestCall | undefined;
  /** Signal of the caller with its time limit. */
  readonly signal: AbortSignal;
  readonly run: (signal: AbortSignal) => Promise<EngineResponse<Response>>;
}

export interface SourcedResult<Response extends Message> {
  readonly response: EngineResponse<Response>;
  readonly source: ResultSource;
}

export interface CachedResults {
  analyze(
    queryRun: QueryRun<EventQuery, AnalyzeEventsResponse>,
  ): Promise<SourcedResult<AnalyzeEventsResponse>>;
  /** Does not cache the list: lists are large and seldom requested twice. */
  list<Query extends Message, Response extends Message>(
    desc: DescMessage,
    queryRun: QueryRun<Query, Response>,
  ): Promise<SourcedResult<Response>>;
  /** Makes cached results of the project outdated. */
  cohortImported(projectId: number): void;
}

export interface CacheOptions {
  /** Returns the most bytes of all cached results; 0 caches none. */
  readonly cacheMaxBytes: () => number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Runs equal queries at the same time once, and caches results until the data changes. */
export function createCachedResults({ cacheMaxBytes, now }: CacheOptions): CachedResults {
  const cache = new LruCache<string, AnalyzeEventsResponse>(cacheMaxBytes);
  const runs = createSharedRuns<EngineResponse<Message>>();
  const imports = new Map<number, number>();

  const keyPartsOf = async ({ project, query, rest }: QueryRun<Message, Message>) => {
    const projectId = Number(query.projectId);
    const found = project.engine.version(projectId);
    const version = found instanceof Promise ? await found : found;
    return {
      version,
      imports: imports.get(projectId) ?? 0,
      nowMs: now(),
      lateness: project.lateness?.(),
      // An engine without a version forwards the body, which may have members that the message lacks.
      rest: version === undefined ? rest : undefined,
    };
  };
  const shareRun = async <Response extends Message>(
    key: string,
    { run, signal }: QueryRun<Message, Response>,
  ) => {
    const { result, isShared } = runs.join(key, run, signal);
    const source: ResultSource = isShared ? "shared" : "engine";
    return { response: (await result) as EngineResponse<Response>, source };
  };

  return {
    async analyze(queryRun) {
      const { query, signal, run } = queryRun;
      const keyParts = await keyPartsOf(queryRun);
      const key = keyOf(EventQuerySchema, query, { operation: "analyze", ...keyParts });
      const runAndCache = async (runSignal: AbortSignal): Promise<EngineResponse<AnalyzeEventsResponse>> => {
        const response = await run(runSignal);
        if (keyParts.version !== undefined)
          cache.set(key, response.message, (await sizeOf(response.message)) + cacheEntryBytes);
        return response;
      };
      if (query.useCache === false) return { response: await runAndCache(signal), source: "engine" };
      const cached = cache.get(key);
      if (cached !== undefined) return { response: { message: markCached(cached) }, source: "cache" };
      return await shareRun(key, { ...queryRun, run: runAndCache });
    },
    async list(desc, queryRun) {
      // The result of a REST call may have only its bytes.
      const operation = queryRun.rest === undefined ? "list" : "list over REST";
      const keyParts = await keyPartsOf(queryRun);
      return shareRun(keyOf(desc, queryRun.query, { operation, ...keyParts }), queryRun);
    },
    cohortImported(projectId) {
      imports.set(projectId, (imports.get(projectId) ?? 0) + 1);
    },
  };
}

/** What an entry of the cache costs besides its value. */
const cacheEntryBytes = 256;
const bucketBytes = 200;
const entryBytes = 300;
const labelBytes = 2;

/** Estimates the memory of a result in bytes. */
async function sizeOf({ data }: AnalyzeEventsResponse): Promise<number> {
  if (data === undefined) return 0;
  const yieldToEventLoop = createYield();
  let bytes = (data.x.length + data.xCompared.length) * bucketBytes;
  for (const group of data.unionGroups) bytes += sizeOfGroup(group);
  for (const { entries } of data.y) {
    for (const entry of entries) {
      const { values, valuesCompared } = entry;
      bytes += sizeOfGroup(entry);
      bytes += 8 * ((values?.numbers.length ?? 0) + (valuesCompared?.numbers.length ?? 0));
      const yielding = yieldToEventLoop();
      if (yielding !== undefined) await yielding;
    }
  }
  return bytes;
}

function sizeOfGroup({ groupCols }: Pick<Group, "groupCols">): number {
  let bytes = entryBytes;
  for (const { value } of groupCols) bytes += entryBytes + String(value.value ?? "").length * labelBytes;
  return bytes;
}

function markCached(response: AnalyzeEventsResponse): AnalyzeEventsResponse {
  const { data } = response;
  if (data?.info === undefined) return response;
  return { ...response, data: { ...data, info: { ...data.info, cached: true } } };
}

/** What the result of a query depends on in addition to its message. */
interface KeyParts {
  readonly operation: string;
  /** Version of the engine's data; undefined where it is unknown. */
  readonly version: number | undefined;
  /** Number of imports of cohorts of the project. */
  readonly imports: number;
  readonly nowMs: number;
  /** Warning about records that are not loaded. */
  readonly lateness?: string | undefined;
  /** Body and parameters of a REST call that an engine may forward unchanged. */
  readonly rest: { readonly body: Uint8Array; readonly search: URLSearchParams } | undefined;
}

/**
 * Days begin at a quarter of an hour in every zone, so "today" does not change within one.
 */
const slotMs = 15 * 60_000;

/**
 * Returns the key of a query: queries with the same key have the same result. The time limit and `useCache` are not
 * part of it.
 */
function keyOf(desc: DescMessage, query: Message, parts: KeyParts): string {
  const { operation, version, imports, nowMs, lateness = "", rest } = parts;
  const bytes = toBinary(desc, { ...query, timeoutSeconds: undefined, useCache: undefined } as Message);
  const slot = Math.floor(nowMs / slotMs);
  const passedOn = rest === undefined ? "" : `${rest.search} ${hash("sha256", rest.body, "base64url")}`;
  return [operation, version, imports, slot, lateness, hash("sha256", bytes, "base64url"), passedOn].join(
    " ",
  );
}
