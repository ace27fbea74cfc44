import { create } from "@bufbuild/protobuf";
import {
  AnalyzeEventsResponseSchema,
  DownloadEventsResponseSchema,
  DownloadEventUsersResponseSchema,
  ListEventUsersResponseSchema,
} from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import {
  EventDownloadQuerySchema,
  EventQuerySchema,
  EventUserDownloadQuerySchema,
  EventUserQuerySchema,
} from "../../../gen/engage/analysis/v1/query_pb.ts";
import type { HttpBody } from "../../../gen/google/api/httpbody_pb.ts";
import type { AnalysisEngine, EngineCall } from "../engine.ts";
import type { PlatformConfig } from "./config.ts";
import { readCsv } from "./csv-rows.ts";
import { decodeAnalysis } from "./decode/analysis.ts";
import type { Envelope } from "./decode/envelope.ts";
import { decodeEventTable } from "./decode/event-table.ts";
import { decodeUserTable } from "./decode/user-table.ts";
import { decodeUsers } from "./decode/users.ts";
import { createQueries, type ForwardedQuery } from "./queries.ts";
import { createRedactor } from "./upstream/redact.ts";
import { openUpstream, type UpstreamObserver } from "./upstream/upstream.ts";

export interface PlatformEngine extends AnalysisEngine, AsyncDisposable {
  /** Whether the configuration allows this path below `/open/`. */
  forwards(path: string): boolean;
  /** Passes the response through. The first message has the content type. */
  forward(query: ForwardedQuery, signal: AbortSignal): AsyncIterable<HttpBody>;
}

export interface PlatformDeps {
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
  readonly observer?: UpstreamObserver;
  /** The content of the file in `tls.ca`. Default: the authorities of Node. */
  readonly ca?: string | undefined;
}

/** Opens an engine that sends the queries of projects to a deployment of the platform. REST callers get its bytes. */
export function openPlatformEngine(config: PlatformConfig, deps: PlatformDeps): PlatformEngine {
  const redactor = createRedactor(config.token);
  const upstream = openUpstream(config, { observer: {}, ca: undefined, ...deps, redactor });
  const { requestOf, ask, load, forward } = createQueries(config, upstream, redactor);
  return {
    async analyze(query, call) {
      const { rest } = call;
      const envelope = await ask("/open/event-analyze", requestOf(EventQuerySchema, query, rest), call);
      const message = create(AnalyzeEventsResponseSchema, successOf(envelope));
      if (rest !== undefined) return { message, json: envelope.bytes };
      message.data = decodeAnalysis(envelope.data, query, config);
      return { message };
    },
    async listUsers(query, call) {
      const { rest } = call;
      const request = requestOf(EventUserQuerySchema, query, rest);
      const envelope = await ask("/open/event-user-list", request, call);
      const message = create(ListEventUsersResponseSchema, successOf(envelope));
      if (rest !== undefined) return { message, json: envelope.bytes };
      message.data = decodeUsers(envelope.data, query);
      return { message };
    },
    async *download(query, call) {
      const { rest } = call;
      const request = requestOf(EventDownloadQuerySchema, query, rest);
      const pieces = load("/open/streaming-download/event-analyze", request, call);
      if (rest === undefined) {
        yield* decodeEventTable(readCsv(pieces, config.maxRowBytes), query, config);
        return;
      }
      for await (const value of pieces)
        yield create(DownloadEventsResponseSchema, { content: { case: "raw", value } });
    },
    async *downloadUsers(query, call: EngineCall) {
      const { rest } = call;
      const request = requestOf(EventUserDownloadQuerySchema, query, rest);
      const pieces = load("/open/streaming-download/event-user-list", request, call);
      if (rest === undefined) {
        yield* decodeUserTable(readCsv(pieces, config.maxRowBytes), query);
        return;
      }
      for await (const value of pieces)
        yield create(DownloadEventUsersResponseSchema, { content: { case: "raw", value } });
    },
    version: () => undefined,
    forwards: compileAllowedPaths(config.paths),
    forward,
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}

function successOf({ message }: Envelope) {
  return { returnCode: 0, returnMessage: message };
}

const segment = /^[A-Za-z0-9._~-]+$/;

/** Compiles a predicate for the paths below `/open/` that the configuration allows. */
export function compileAllowedPaths(allowed: readonly string[]): (path: string) => boolean {
  const exact = new Set(allowed.filter((path) => !path.endsWith("*")));
  const prefixes = allowed.filter((path) => path.endsWith("*")).map((path) => path.slice(0, -1));
  return (path) => isPlain(path) && (exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix)));
}

/** Whether a path has nothing that could lead elsewhere: segments of dots, escapes, a query. */
function isPlain(path: string): boolean {
  return path.split("/").every((part) => segment.test(part) && part !== "." && part !== "..");
}
