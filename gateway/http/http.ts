import type * as http from "node:http";
import type * as http2 from "node:http2";
import type * as net from "node:net";
import type { TLSSocket } from "node:tls";
import type { Peer } from "../call/record.ts";
import { type Connection, connectionOf } from "./connections.ts";

/**
 * The port of the gateway and plain HTTP on it: `port.ts` listens for HTTP/1.1 and HTTP/2,
 * `connections.ts`, `open-calls.ts` and `open-bytes.ts` count what clients hold open and close what is
 * too much, `unary.ts` serves one unary call from `body.ts` to `send.ts`, `http1/` and `http2/` hold what
 * one version alone has. This file has the requests and responses of both versions and the peer that a
 * connection belongs to.
 */
export type NodeRequest = http.IncomingMessage | http2.Http2ServerRequest;
export type NodeResponse = http.ServerResponse | http2.Http2ServerResponse;

/** A whole response. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body: Uint8Array | string;
}

/** Returns the connection of a request. */
export function connectionOfRequest(request: NodeRequest): Connection {
  return connectionOf("stream" in request ? request.stream.session : request.socket);
}

/** Returns whether the caller closed the connection before it got its response. */
export function isClosed(request: NodeRequest, response: NodeResponse): boolean {
  return request.aborted || (response.destroyed && !response.writableEnded);
}

const peers = new WeakMap<object, Peer>();

/** Returns the other end of a connection, which is determined once. */
export function peerOf(connection: http2.Http2Session | net.Socket): Peer {
  const known = peers.get(connection);
  if (known !== undefined) return known;
  // HTTP/2 has proxies of its sockets, which forward properties but not `in`.
  const socket = ("socket" in connection ? connection.socket : connection) as Partial<TLSSocket>;
  const certificate = socket.authorized ? subjectOf(socket as TLSSocket) : undefined;
  const peer: Peer = {
    address: socket.remoteAddress ?? "",
    secure: socket.encrypted === true,
    ...(certificate === undefined ? {} : { certificate }),
  };
  peers.set(connection, peer);
  return peer;
}

/** Returns the first URI (as in SPIFFE) or DNS name, else the common name. */
function subjectOf(socket: TLSSocket): string | undefined {
  const { subjectaltname = "", subject } = socket.getPeerCertificate();
  const name = /(?:^|, )(?:URI|DNS):([^,]+)/.exec(subjectaltname)?.[1];
  const common = subject?.CN;
  return name ?? (Array.isArray(common) ? common[0] : common);
}

/** Requests whose response may depend on their origin. */
const byOrigin = new WeakSet<NodeRequest>();

/** Marks, for caches, a response that depends on the origin of the calling page. */
export function setVaryOrigin(request: NodeRequest, response: http.ServerResponse): void {
  byOrigin.add(request);
  response.setHeader("vary", "origin");
}

/** Returns the header `vary` of a response that also depends on this header. */
export function varyWith(request: NodeRequest, name: string): string {
  return byOrigin.has(request) ? `origin, ${name}` : name;
}
