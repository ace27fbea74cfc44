import type { DescMessage, Message } from "@bufbuild/protobuf";
import { withoutByteOrderMark } from "../../../base/text/byte-order-mark.ts";
import { httpPlaceOf, inHttpSpan } from "../../../base/trace/http-span.ts";
import type { Trace } from "../../../base/trace/trace.ts";
import type { HttpBody } from "../../../gen/google/api/httpbody_pb.ts";
import type { EngineCall, RestCall } from "../engine.ts";
import type { PlatformConfig } from "./config.ts";
import { type Envelope, readEnvelope } from "./decode/envelope.ts";
import { encodeQuery } from "./encode-query.ts";
import { replaceInSearch, replaceProjectId } from "./project-id.ts";
import { forwardBody, readDownload } from "./upstream/download.ts";
import type { Redactor } from "./upstream/redact.ts";
import type { Upstream, UpstreamCall } from "./upstream/upstream.ts";

/** A query in the platform's own form, for another path. */
export interface ForwardedQuery {
  /** The path below `/open/`, which `forwards` accepts. */
  readonly path: string;
  readonly projectId: number;
  /** A JSON object. */
  readonly body: Uint8Array;
  /** The parameters without a token. */
  readonly search: URLSearchParams;
  /** The trace of the call. */
  readonly trace?: Trace | undefined;
}

/** What a query has besides its request. */
type AskedBy = Pick<EngineCall, "signal" | "trace">;

type Request = Pick<UpstreamCall, "search" | "body" | "allowedMs">;

/** The content type of all requests: a body that is JSON here must not be read as a form there. */
const contentType = "application/json";

/** Creates the three kinds of query: for a response, for a file, and for a response of any form. */
export function createQueries(config: PlatformConfig, upstream: Upstream, redactor: Redactor) {
  const place = httpPlaceOf("POST", config.baseUrl);
  // Equal ids are replaced too, since a metric must not name another project than its query does.
  const upstreamId = (projectId: number): number => config.projects[projectId] ?? projectId;
  const toUpstream = ({ search, body }: Pick<Request, "search" | "body">, queryProject: number) => ({
    search: replaceInSearch(search, upstreamId(queryProject), queryProject),
    body: replaceProjectId(withoutByteOrderMark(body), upstreamId(queryProject), queryProject),
  });
  return {
    /** Returns the caller's body if there is one, otherwise the typed query in the platform's form. */
    requestOf(
      schema: DescMessage,
      query: Message & { readonly projectId: bigint; readonly timeoutSeconds?: number | undefined },
      rest: RestCall | undefined,
    ): Request {
      const projectId = upstreamId(Number(query.projectId));
      const allowedMs = (query.timeoutSeconds ?? 0) * 1_000;
      if (rest !== undefined) {
        return { ...toUpstream(rest, Number(query.projectId)), allowedMs };
      }
      const text = encodeQuery(schema, query, { projectId, overallLabel: config.overallLabels[0]! });
      return { search: new URLSearchParams(), body: Buffer.from(text), allowedMs };
    },
    async ask(path: string, request: Request, { signal, trace }: AskedBy): Promise<Envelope> {
      const response = await inHttpSpan(trace, place, (headers) =>
        upstream.call({ path, ...request, headers, contentType, signal, timed: "answer" }),
      );
      return readEnvelope(response, config.maxAnswerBytes, redactor);
    },
    async *load(path: string, request: Request, { signal, trace }: AskedBy): AsyncGenerator<Uint8Array> {
      const response = await inHttpSpan(trace, place, (headers) =>
        upstream.call({ path, ...request, headers, contentType, signal, timed: "head" }),
      );
      try {
        yield* readDownload(response, config, redactor);
      } finally {
        response.release();
      }
    },
    async *forward(query: ForwardedQuery, signal: AbortSignal): AsyncGenerator<HttpBody> {
      const request = { ...toUpstream(query, query.projectId), allowedMs: 0 };
      const response = await inHttpSpan(query.trace, place, (headers) =>
        upstream.call({
          path: `/open/${query.path}`,
          ...request,
          headers,
          contentType,
          signal,
          timed: "head",
        }),
      );
      try {
        yield* forwardBody(response, config, redactor);
      } finally {
        response.release();
      }
    },
  };
}
