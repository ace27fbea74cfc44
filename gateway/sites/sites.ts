import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Code, type ConnectError } from "@connectrpc/connect";
import { quoteText, shorten } from "../../base/text/quote.ts";
import { Health } from "../../gen/grpc/health/v1/health_pb.ts";
import { type RefusalReason, refuse } from "../call/refusals.ts";
import { encodeGrpcMessage } from "../call/status.ts";
import { type NodeRequest, type NodeResponse, peerOf, setVaryOrigin } from "../http/http.ts";
import { sendResponse } from "../http/send.ts";
import { encodeError } from "../rest/status.ts";
import { corsHeaders, isPreflight, respondToPreflight } from "./cors.ts";
import type { Destination } from "./head.ts";
import { type Host, isLoopbackAddress, isLoopbackName, isSameHost, parseHost, parseOrigin } from "./host.ts";
import type { FindTarget, Target } from "./target.ts";

/** The rules for calls from pages of other sites. */
export interface SitesOptions {
  /** Further names under which a server on loopback is called without a key: `name` or `name:port`. */
  readonly hosts: readonly string[];
  /** Origins, such as `https://app.example.com`, whose pages may call everything. */
  readonly cors: readonly string[];
  /** Whether calls need a key or a client certificate. */
  readonly asksForKeys: boolean;
  /** Whether the handler at a path, which usually authenticates callers itself, admits all callers. */
  readonly isUnsigned?: (path: string) => boolean;
  /** Receives each request that is refused. Its texts come from the caller and are cut to 100 characters. */
  readonly onRefused?: (refusal: SiteRefusal) => void;
}

export interface SiteRefusal {
  readonly reason: RefusalReason;
  readonly method: string;
  readonly path: string;
  readonly host?: string;
  readonly origin?: string;
  /** The browser's header `sec-fetch-site`. */
  readonly site?: string;
  readonly peer: string;
}

/** Returns whether the request is admitted; otherwise the response has been sent. */
export type Admit = (
  request: NodeRequest,
  response: NodeResponse,
  path: string,
  head: Destination,
) => boolean;

/** Pages that a link from another site may open: they show nothing secret and change nothing. */
const linkable = new Set(["/", "/console", "/console/", "/docs"]);

/**
 * Refuses calls of pages of other sites that nothing else authenticates: a
 * browser sends a page's requests to every address that it can reach, and a host
 * name of the page may resolve to loopback (DNS rebinding). Allows pages that may
 * call to read the responses (CORS).
 */
export function createSites(options: SitesOptions, find: FindTarget): Admit {
  const listed = new Set(options.cors.map((origin) => origin.toLowerCase()));
  const hosts = options.hosts.map((text) => parseHost(text)).filter((host) => host !== undefined);
  const isOwn = (host: Host): boolean =>
    isLoopbackName(host.name) ||
    hosts.some(({ name, port }) => name === host.name && (port === "" || port === host.port));
  const foreign = new WeakMap<Destination, boolean>();
  const isForeign = (head: Destination): boolean => {
    const known = foreign.get(head);
    if (known !== undefined) return known;
    const result = head.host !== undefined && !isOwn(head.host);
    foreign.set(head, result);
    return result;
  };

  return (request, response, path, head) => {
    const { headers } = request;
    if (listed.size > 0) setVaryOrigin(request, response as ServerResponse);
    const isFromPage = headers.origin !== undefined || headers["sec-fetch-site"] !== undefined;
    const isMisdirected = isForeign(head) && isOnLoopback(request);
    if (!isFromPage && !isMisdirected) return true;
    // No browser uses HTTP/2 in plain text, and over TLS the calls of a page have its origin.
    if (isNativeGrpc(request) && !(isFromPage && peerOf(request.socket).secure)) return true;
    const target = find(methodOf(request), path);
    const { origin } = headers;
    const mayCall = target.anyOrigin || (origin !== undefined && listed.has(origin.toLowerCase()));
    const isGuarded = target.hasOwnAuth
      ? options.isUnsigned?.(path) === true
      : isUnauthenticated(request, target, options.asksForKeys);
    const refusal = isGuarded ? refusalOf(request, path, head, isMisdirected, mayCall) : undefined;
    if (mayCall && origin !== undefined) {
      if (isPreflight(request) && refusal === undefined) {
        sendResponse(request, response, respondToPreflight(request, origin, target.methods));
        return false;
      }
      allow(response as ServerResponse, origin);
      setVaryOrigin(request, response as ServerResponse);
    }
    if (refusal === undefined) return true;
    options.onRefused?.(describe(request, path, refusal.reason));
    sendRefusal(request, response, target, refusal.error);
    return false;
  };
}

interface Refusal {
  readonly reason: RefusalReason;
  readonly error: ConnectError;
}

function refusalOf(
  request: NodeRequest,
  path: string,
  head: Destination,
  isMisdirected: boolean,
  mayCall: boolean,
): Refusal | undefined {
  if (isMisdirected) {
    const name = quoteText(head.host?.name ?? "");
    const message = `this server listens on loopback and requires no key, so it refuses host ${name}: valid are localhost, *.localhost, loopback addresses and the names in gateway.hosts`;
    return refusal("FOREIGN_HOST", message);
  }
  if (mayCall || !isCrossSite(request, path, head)) return undefined;
  const { origin } = request.headers;
  const page = origin === undefined ? "pages of other sites" : `pages of ${quoteText(origin)}`;
  const message = `${page} may not make this call, which requires no key: valid are pages of this server and the origins in gateway.cors`;
  return refusal("CROSS_SITE", message);
}

function refusal(reason: RefusalReason, message: string): Refusal {
  return { reason, error: refuse(reason, Code.PermissionDenied, message) };
}

/** Decides by two headers that pages cannot set. One of them suffices; clients other than browsers send neither. */
function isCrossSite({ method, headers }: NodeRequest, path: string, { host }: Destination): boolean {
  const { origin } = headers;
  const from = origin === undefined ? undefined : parseOrigin(origin);
  if (origin !== undefined && !(from && host && isSameHost(from, host))) return true;
  const site = headers["sec-fetch-site"] ?? "none";
  if (site === "same-origin" || site === "none") return false;
  const isLink =
    (method === "GET" || method === "HEAD") &&
    headers["sec-fetch-mode"] === "navigate" &&
    headers["sec-fetch-dest"] === "document";
  return !(isLink && linkable.has(path));
}

/** Returns the HTTP method; for a preflight the one that the page asks for. */
function methodOf(request: NodeRequest): string {
  const { method = "" } = request;
  return isPreflight(request) ? String(request.headers["access-control-request-method"]) : method;
}

/** Returns whether a call has no credentials, or only a certificate, which browsers send for every page. */
function isUnauthenticated(request: NodeRequest, { served }: Target, asksForKeys: boolean): boolean {
  if (!asksForKeys || served === undefined || served.desc.parent.typeName === Health.typeName) return true;
  const { headers } = request;
  if (headers.authorization !== undefined || headers["x-api-key"] !== undefined) return false;
  return peerOf(request.socket).certificate !== undefined && !isPreflight(request);
}

function isNativeGrpc({ headers, httpVersionMajor }: NodeRequest): boolean {
  const type = headers["content-type"];
  if (httpVersionMajor !== 2 || type === undefined) return false;
  return type.startsWith("application/grpc") && !type.startsWith("application/grpc-web");
}

const onLoopback = new WeakMap<object, boolean>();

/** Reports whether the connection was accepted on a loopback address. */
function isOnLoopback(request: NodeRequest): boolean {
  const connection = "stream" in request ? (request.stream.session ?? request.socket) : request.socket;
  const known = onLoopback.get(connection);
  if (known !== undefined) return known;
  const { localAddress = "" } = ("socket" in connection ? connection.socket : connection) as Socket;
  const result = isLoopbackAddress(localAddress);
  onLoopback.set(connection, result);
  return result;
}

function allow(response: ServerResponse, origin: string): void {
  for (const [name, value] of Object.entries(corsHeaders(origin))) {
    response.setHeader(name, value as string);
  }
}

function sendRefusal(
  request: NodeRequest,
  response: NodeResponse,
  target: Target,
  error: ConnectError,
): void {
  const encoded = encodeError(error, target.isRest ? target.served : undefined);
  const headers = { ...encoded.headers };
  if (request.headers["content-type"]?.startsWith("application/grpc")) {
    headers["grpc-status"] = String(error.code);
    headers["grpc-message"] = encodeGrpcMessage(error.rawMessage);
  }
  sendResponse(request, response, { ...encoded, headers });
}

function describe(request: NodeRequest, path: string, reason: RefusalReason): SiteRefusal {
  const { headers, method = "" } = request;
  const { origin } = headers;
  const host = headers[":authority"] ?? headers.host;
  const site = headers["sec-fetch-site"];
  return {
    reason,
    method: shorten(method),
    path: shorten(path),
    ...(host !== undefined && { host: shorten(String(host)) }),
    ...(origin !== undefined && { origin: shorten(origin) }),
    ...(site !== undefined && { site: shorten(String(site)) }),
    peer: peerOf(request.socket).address,
  };
}
