import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { loadHttp2 } from "../../base/net/late-modules.ts";
import type { HttpResponse, NodeRequest, NodeResponse } from "./http.ts";
import { Http1Request } from "./http1/http1-request.ts";

/**
 * The maximum of a request that is read and discarded, so that a client which is still sending can read its
 * response.
 */
const drainMaxBytes = 256 * 1024;
const drainMs = 500;

/**
 * Sends a response to a request whose body may not have been read. On HTTP/1.1
 * the connection then closes, but only after the client could read the response:
 * its operating system discards what has arrived when a connection is reset.
 */
export function sendResponse(request: NodeRequest, target: NodeResponse, content: HttpResponse): void {
  // The two response types share these methods, but not their overloads.
  const response = target as ServerResponse;
  if (response.destroyed || response.writableEnded) return;
  const isUnread = hasBody(request) && !request.complete;
  const body = request.method === "HEAD" ? "" : content.body;
  const headers: OutgoingHttpHeaders = { ...content.headers };
  if (content.status !== 204) headers["content-length"] = Buffer.byteLength(content.body);
  if ("stream" in target) {
    response.writeHead(content.status, headers);
    response.end(body);
    // The rest of the request would keep the stream open.
    if (isUnread) endUnreadStream(target.stream);
  } else if (isUnread) {
    headers["connection"] = "close";
    response.writeHead(content.status, headers);
    response.write(body);
    drain(request, () => response.end());
  } else {
    response.writeHead(content.status, headers);
    response.end(body);
  }
}

function hasBody(request: NodeRequest): boolean {
  if ("stream" in request) return !request.stream.endAfterHeaders;
  const { headers } = request;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Reads and discards the request, within limits, then calls back. */
function drain(request: NodeRequest, done: () => void): void {
  let bytes = 0;
  const finish = (): void => {
    clearTimeout(timer);
    request.off("data", onData).off("end", finish).off("close", finish);
    done();
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > drainMaxBytes) finish();
  };
  const timer = setTimeout(finish, drainMs);
  request.on("data", onData).once("end", finish).once("close", finish);
}

/** Cuts a response off in a way that its reader cannot take for the end of a complete one. */
export function abortResponse(request: NodeRequest, response: NodeResponse): void {
  if ("stream" in response) {
    // This resets the stream with INTERNAL_ERROR. In Node 24 `close` with a code never finishes while writes are
    // pending.
    response.stream.destroy(new Error("the response is cut off"));
    return;
  }
  const { socket } = request;
  // HTTP/1.0 has no chunks: the end of the connection is the end of the response, unless it is a reset.
  const isTcp = !("encrypted" in socket && socket.encrypted);
  if (request.httpVersion === "1.0" && isTcp) socket.resetAndDestroy();
  else (response as ServerResponse).destroy();
}

/** A client that still sends gets this long to read its response. */
const lingerMs = 500;

/**
 * The body of a refused HTTP/1.1 request is read and discarded up to this size, so that its connection stays usable.
 */
const skippedBytes = 64 * 1024;

/** Discards the body of a request if it is short, so that the connection stays usable; returns whether it does. */
export function skipShortBody(request: NodeRequest): boolean {
  const { "content-length": declared, expect } = request.headers;
  // When the rest of a body arrives that was partly read is unknown.
  const isTaken = request instanceof Http1Request && request.isTaken;
  const isUntouched = request.readableFlowing === null && !isTaken;
  const isShort =
    isUntouched && declared !== undefined && Number(declared) <= skippedBytes && expect === undefined;
  if ("stream" in request || !isShort) return false;
  request.resume();
  return true;
}

/**
 * Ends a request whose response is sent before its body has arrived. On HTTP/2
 * the body is discarded until shortly after the response is written, then the
 * stream is reset: a reset that is sent with the response would overtake it.
 * HTTP/1.1 has no reset, and closing the connection at once, as Node does, makes
 * the client's operating system discard a response that is not read yet. So the
 * connection is half closed first and destroyed a little later. Such a response
 * must have the header `connection: close`.
 */
export function endUnreadRequest(request: NodeRequest): void {
  if ("stream" in request) {
    endUnreadStream(request.stream);
    return;
  }
  const { socket } = request;
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once("close", () => clearTimeout(timer));
  };
}

/** Does the same for an HTTP/2 stream. */
export function endUnreadStream(stream: ServerHttp2Stream): void {
  if (stream.endAfterHeaders) return;
  stream.resume();
  const linger = (): void => {
    const timer = setTimeout(() => stream.close(loadHttp2().constants.NGHTTP2_NO_ERROR), lingerMs);
    stream.once("close", () => clearTimeout(timer));
  };
  if (stream.writableFinished) linger();
  else stream.once("finish", linger);
}
