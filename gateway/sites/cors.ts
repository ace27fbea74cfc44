import type { OutgoingHttpHeaders } from "node:http";
import type { HttpResponse, NodeRequest } from "../http/http.ts";

/** What clients of gRPC-Web, Connect and REST read besides the body. */
const exposedHeaders = [
  "allow",
  "content-disposition",
  "grpc-message",
  "grpc-status",
  "grpc-status-details-bin",
  "retry-after",
  "www-authenticate",
  "x-request-id",
].join(", ");

/** Chromium keeps what a preflight says for no longer. */
const maxAgeSeconds = 7_200;

/** A page's question whether it may send a request: https://fetch.spec.whatwg.org/#cors-preflight-fetch */
export function isPreflight({ method, headers }: NodeRequest): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

/**
 * Lets pages of this origin read the answer. The origin is named, and not `*`,
 * which browsers refuse for requests that could carry credentials, as those of
 * some SDKs do.
 */
export function corsHeaders(origin: string): OutgoingHttpHeaders {
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-expose-headers": exposedHeaders,
  };
}

/** The answer to a preflight. Headers may be any: the origin may call, and what it sends is checked like all calls. */
export function answerPreflight(
  { headers }: NodeRequest,
  origin: string,
  methods: readonly string[],
): HttpResponse {
  const asked = headers["access-control-request-headers"];
  const answer: OutgoingHttpHeaders = {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": methods.join(", "),
    "access-control-max-age": String(maxAgeSeconds),
    vary: "origin, access-control-request-method, access-control-request-headers",
  };
  if (typeof asked === "string" && /^[\w!#$%&'*+.^`|~, \t-]{1,4096}$/.test(asked)) {
    answer["access-control-allow-headers"] = asked;
  }
  if (headers["access-control-request-private-network"] === "true") {
    answer["access-control-allow-private-network"] = "true";
  }
  return { status: 204, headers: answer, body: "" };
}
