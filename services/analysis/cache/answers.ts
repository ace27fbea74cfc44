import type { DescMessage, Message } from "@bufbuild/protobuf";
import { LruCache } from "../../../base/cache/lru-cache.ts";
import type { AnalyzeEventsResponse } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { type EventQuery, EventQuerySchema } from "../../../gen/engage/analysis/v1/query_pb.ts";
import type { EngineResponse, RestCall } from "../engine.ts";
import type { AnswerSource } from "../observer.ts";
import type { AnalysisProject } from "../project/project.ts";
import { keyOf } from "./query-key.ts";
import { createSharedRuns } from "./shared-runs.ts";

/** One query to be answered. */
export interface Asked<Query extends Message, Answer extends Message> {
  readonly project: AnalysisProject;
  readonly query: Query & { readonly projectId: bigint };
  readonly rest: RestCall | undefined;
  /** Of the caller, with its time limit. */
  readonly signal: AbortSignal;
  readonly run: (signal: AbortSignal) => Promise<EngineResponse<Answer>>;
}

export interface Answered<Answer extends Message> {
  readonly answer: EngineResponse<Answer>;
  readonly source: AnswerSource;
}

export interface Answers {
  analyze(asked: Asked<EventQuery, AnalyzeEventsResponse>): Promise<Answered<AnalyzeEventsResponse>>;
  /** Is not kept, for lists are large and seldom asked for twice. */
  list<Query extends Message, Answer extends Message>(
    desc: DescMessage,
    asked: Asked<Query, Answer>,
  ): Promise<Answered<Answer>>;
  /** Kept results that look at cohorts of this project are out of date. */
  clusterImported(projectId: number): void;
}

export interface AnswersOptions {
  /** Of all kept results together; 0 keeps none. */
  readonly cacheMaxBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Has equal queries at the same time computed once, and keeps results while the data behind them stays as it is. */
export function createAnswers({ cacheMaxBytes, now }: AnswersOptions): Answers {
  const cache = new LruCache<string, AnalyzeEventsResponse>(cacheMaxBytes);
  const runs = createSharedRuns<EngineResponse<Message>>();
  const imports = new Map<number, number>();

  const circumstancesOf = ({ project, query, rest }: Asked<Message, Message>) => {
    const projectId = Number(query.projectId);
    const version = project.engine.version(projectId);
    return {
      version,
      imports: imports.get(projectId) ?? 0,
      nowMs: now(),
      lateness: project.lateness?.(),
      // An engine without a version passes the body on, with members that the message lacks.
      rest: version === undefined ? rest : undefined,
    };
  };
  const join = async <Answer extends Message>(key: string, { run, signal }: Asked<Message, Answer>) => {
    const { result, isShared } = runs.join(key, run, signal);
    const source: AnswerSource = isShared ? "shared" : "engine";
    return { answer: (await result) as EngineResponse<Answer>, source };
  };

  return {
    async analyze(asked) {
      const { query, signal, run } = asked;
      const circumstances = circumstancesOf(asked);
      const key = keyOf(EventQuerySchema, query, { operation: "analyze", ...circumstances });
      const runAndKeep = async (runSignal: AbortSignal): Promise<EngineResponse<AnalyzeEventsResponse>> => {
        const answer = await run(runSignal);
        if (circumstances.version !== undefined)
          cache.set(key, answer.message, sizeOf(answer.message) + keptBytes);
        return answer;
      };
      if (query.useCache === false) return { answer: await runAndKeep(signal), source: "engine" };
      const kept = cache.get(key);
      if (kept !== undefined) return { answer: { message: markCached(kept) }, source: "cache" };
      return await join(key, { ...asked, run: runAndKeep });
    },
    async list(desc, asked) {
      // Of an answer over REST there may be its bytes only.
      const operation = asked.rest === undefined ? "list" : "list over REST";
      return join(keyOf(desc, asked.query, { operation, ...circumstancesOf(asked) }), asked);
    },
    clusterImported(projectId) {
      imports.set(projectId, (imports.get(projectId) ?? 0) + 1);
    },
  };
}

/** What an entry of the cache costs besides its value. */
const keptBytes = 256;
const bucketBytes = 200;
const entryBytes = 300;
const labelBytes = 2;

/** About what a result takes in memory. */
function sizeOf({ data }: AnalyzeEventsResponse): number {
  if (data === undefined) return 0;
  let bytes = (data.x.length + data.xCompared.length) * bucketBytes;
  const groups = [...data.unionGroups, ...data.y.flatMap(({ entries }) => entries)];
  for (const { groupCols } of groups) {
    bytes += entryBytes;
    for (const { value } of groupCols) bytes += entryBytes + String(value.value ?? "").length * labelBytes;
  }
  for (const { values, valuesCompared } of data.y.flatMap(({ entries }) => entries)) {
    bytes += 8 * ((values?.numbers.length ?? 0) + (valuesCompared?.numbers.length ?? 0));
  }
  return bytes;
}

function markCached(answer: AnalyzeEventsResponse): AnalyzeEventsResponse {
  const { data } = answer;
  if (data?.info === undefined) return answer;
  return { ...answer, data: { ...data, info: { ...data.info, cached: true } } };
}
