import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { constants, Http2ServerResponse, type ServerHttp2Stream } from "node:http2";
import type { HttpResponse, NodeRequest, NodeResponse } from "./http.ts";

/** A caller that is still sending gets this much read and thrown away, so that it comes to read its answer. */
const drainMaxBytes = 256 * 1024;
const drainMs = 500;

/**
 * Answers a request whose body may not have been read. On HTTP/1.1 such a
 * connection ends: but only after the caller had the chance to read the answer,
 * for its system drops what has arrived as soon as a connection is cut.
 */
export function sendResponse(request: NodeRequest, target: NodeResponse, answer: HttpResponse): void {
  // The two response types have these methods in common, but not in their overloads.
  const response = target as ServerResponse;
  if (response.destroyed || response.writableEnded) return;
  const isUnread = hasBody(request) && !request.complete;
  const body = request.method === "HEAD" ? "" : answer.body;
  const headers: OutgoingHttpHeaders = { ...answer.headers };
  if (answer.status !== 204) headers["content-length"] = Buffer.byteLength(answer.body);
  if (target instanceof Http2ServerResponse) {
    response.writeHead(answer.status, headers);
    response.end(body);
    // Else the rest of the request would hold the stream open.
    if (isUnread) endUnreadStream(target.stream);
  } else if (isUnread) {
    headers["connection"] = "close";
    response.writeHead(answer.status, headers);
    response.write(body);
    drain(request, () => response.end());
  } else {
    response.writeHead(answer.status, headers);
    response.end(body);
  }
}

function hasBody(request: NodeRequest): boolean {
  if ("stream" in request) return !request.stream.endAfterHeaders;
  const { headers } = request;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Reads on, within limits, before it calls back. The whole answer is with the caller by then. */
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

/** Cuts an answer off so that its reader can't take it for a whole one. */
export function abortResponse(request: NodeRequest, response: NodeResponse): void {
  if (response instanceof Http2ServerResponse) {
    // This resets it with INTERNAL_ERROR. `close` with a code never returns in Node 24 while writes are pending.
    response.stream.destroy(new Error("the answer is broken off"));
    return;
  }
  const { socket } = request;
  // HTTP/1.0 has no chunks: there the end of the connection is the end of the answer, unless it is a reset.
  const isTcp = !("encrypted" in socket && socket.encrypted);
  if (request.httpVersion === "1.0" && isTcp) socket.resetAndDestroy();
  else (response as ServerResponse).destroy();
}

/** A caller that is still sending gets this long to read its answer. */
const lingerMs = 500;

/** A body of an HTTP/1.1 request that was refused is read and forgotten up to this size, which keeps its connection. */
const skippedBytes = 64 * 1024;

/** Whether what is left of the request is skipped, so that the connection can be used again. */
export function skipShortBody(request: NodeRequest): boolean {
  const { "content-length": declared, expect } = request.headers;
  // Of one that was begun it is not known when the rest comes.
  const isUntouched = request.readableFlowing === null;
  const isShort =
    isUntouched && declared !== undefined && Number(declared) <= skippedBytes && expect === undefined;
  if ("stream" in request || !isShort) return false;
  request.resume();
  return true;
}

/**
 * Prepares for an answer to a request that is still coming. On HTTP/2 what comes
 * is read and forgotten until a little after the answer is written, and then the
 * caller is told to stop: a reset that is sent with the answer would overtake it.
 * HTTP/1.1 has no word for that, and to cut the connection at
 * once, as Node does, would make the caller's system drop an answer that it has
 * not read: it is closed on this side first and a little later altogether. Such
 * an answer must say `connection: close`.
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

/** The same for an HTTP/2 stream. */
export function endUnreadStream(stream: ServerHttp2Stream): void {
  if (stream.endAfterHeaders) return;
  stream.resume();
  const linger = (): void => {
    const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), lingerMs);
    stream.once("close", () => clearTimeout(timer));
  };
  if (stream.writableFinished) linger();
  else stream.once("finish", linger);
}
