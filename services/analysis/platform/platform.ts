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
  /** The answer as it comes. The content type is in the first message. */
  forward(query: ForwardedQuery, signal: AbortSignal): AsyncIterable<HttpBody>;
}

export interface PlatformDeps {
  /** Milliseconds that never go back. */
  readonly now: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly observer?: UpstreamObserver;
  /** What `tls.ca` of the configuration holds; those of Node when left out. */
  readonly ca?: string | undefined;
}

/** Has a deployment of the platform answer the queries of projects. REST callers get its bytes. */
export function openPlatformEngine(config: PlatformConfig, deps: PlatformDeps): PlatformEngine {
  const redactor = createRedactor(config.token);
  const upstream = openUpstream(config, { observer: {}, ca: undefined, ...deps, redactor });
  const { requestOf, ask, load, forward } = createQueries(config, upstream, redactor);
  return {
    async analyze(query, { signal, rest }) {
      const envelope = await ask("/open/event-analyze", requestOf(EventQuerySchema, query, rest), signal);
      const message = create(AnalyzeEventsResponseSchema, successOf(envelope));
      if (rest !== undefined) return { message, json: envelope.bytes };
      message.data = decodeAnalysis(envelope.data, query, config);
      return { message };
    },
    async listUsers(query, { signal, rest }) {
      const envelope = await ask(
        "/open/event-user-list",
        requestOf(EventUserQuerySchema, query, rest),
        signal,
      );
      const message = create(ListEventUsersResponseSchema, successOf(envelope));
      if (rest !== undefined) return { message, json: envelope.bytes };
      message.data = decodeUsers(envelope.data, query);
      return { message };
    },
    async *download(query, { signal, rest }) {
      const request = requestOf(EventDownloadQuerySchema, query, rest);
      const pieces = load("/open/streaming-download/event-analyze", request, signal);
      if (rest === undefined) {
        yield* decodeEventTable(readCsv(pieces, config.maxRowBytes), query, config);
        return;
      }
      for await (const value of pieces)
        yield create(DownloadEventsResponseSchema, { content: { case: "raw", value } });
    },
    async *downloadUsers(query, { signal, rest }: EngineCall) {
      const request = requestOf(EventUserDownloadQuerySchema, query, rest);
      const pieces = load("/open/streaming-download/event-user-list", request, signal);
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

/** Tells whether a path below `/open/` is one of those in the configuration. */
export function compileAllowedPaths(allowed: readonly string[]): (path: string) => boolean {
  const exact = new Set(allowed.filter((path) => !path.endsWith("*")));
  const prefixes = allowed.filter((path) => path.endsWith("*")).map((path) => path.slice(0, -1));
  return (path) => isPlain(path) && (exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix)));
}

/** Without anything that could lead elsewhere: dots alone, escapes, a query. */
function isPlain(path: string): boolean {
  return path.split("/").every((part) => segment.test(part) && part !== "." && part !== "..");
}
