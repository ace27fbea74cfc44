import type { OutgoingHttpHeaders } from "node:http";
import type { HttpResponse, NodeRequest } from "../http/http.ts";

/** Headers that clients of gRPC-Web, Connect and REST read. */
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

/** Chromium caches a preflight for at most this time. */
const maxAgeSeconds = 7_200;

/** Returns whether a request is a preflight: https://fetch.spec.whatwg.org/#cors-preflight-fetch */
export function isPreflight({ method, headers }: NodeRequest): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

/**
 * Lets pages of this origin read the response. The origin is named, and not `*`,
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

/**
 * Creates the response to a preflight. All headers are allowed: the origin may call, and its calls are checked like
 * others.
 */
export function respondToPreflight(
  { headers }: NodeRequest,
  origin: string,
  methods: readonly string[],
): HttpResponse {
  const requestedHeaders = headers["access-control-request-headers"];
  const allowed: OutgoingHttpHeaders = {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": methods.join(", "),
    "access-control-max-age": String(maxAgeSeconds),
    vary: "origin, access-control-request-method, access-control-request-headers",
  };
  if (typeof requestedHeaders === "string" && /^[\w!#$%&'*+.^`|~, \t-]{1,4096}$/.test(requestedHeaders)) {
    allowed["access-control-allow-headers"] = requestedHeaders;
  }
  if (headers["access-control-request-private-network"] === "true") {
    allowed["access-control-allow-private-network"] = "true";
  }
  return { status: 204, headers: allowed, body: "" };
}
