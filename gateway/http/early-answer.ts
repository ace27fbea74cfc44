import { constants, type ServerHttp2Stream } from "node:http2";
import type { NodeRequest } from "./port.ts";

/** A caller that is still sending gets this long to read its answer. */
const lingerMs = 500;

/** A body of an HTTP/1.1 request that was refused is read and forgotten up to this size, which keeps its connection. */
const skippedBytes = 64 * 1024;

/** Whether what is left of the request is skipped, so that the connection can be used again. */
export function skipShortRest(request: NodeRequest): boolean {
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
export function stopRequest(request: NodeRequest): void {
  if ("stream" in request) {
    stopStream(request.stream);
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
export function stopStream(stream: ServerHttp2Stream): void {
  if (stream.endAfterHeaders) return;
  stream.resume();
  const linger = (): void => {
    const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), lingerMs);
    stream.once("close", () => clearTimeout(timer));
  };
  if (stream.writableFinished) linger();
  else stream.once("finish", linger);
}
