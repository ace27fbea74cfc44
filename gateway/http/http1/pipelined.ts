import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { connectionOf } from "../connections.ts";
import { headBytesOf } from "../head-bytes.ts";
import type { ByteShare, OpenBytes } from "../open-bytes.ts";

/** Pipelined requests of one connection that are handled at a time: their responses are sent in order anyway. */
export const maxPipelined = 16;
/** Requests that may wait for them: Node parses all that arrive until responses wait to be read. */
const maxWaiting = 4_000;
/** What Node reads of a body that nothing takes. */
const maxBodyBytes = 65_536;

/** The requests of a connection that came before the response to an earlier one. */
interface PipelinedRequests {
  /** Those that wait, with the memory of their bodies. */
  readonly waiting: { readonly begin: () => void; readonly bodyBytes: number }[];
  /** The memory of all of them. */
  readonly share: ByteShare;
}

const kPipelined = Symbol("pipelined requests");
const kBytes = Symbol("bytes of a pipelined request");

type PipelinedSocket = Socket & { [kPipelined]?: PipelinedRequests };
type Counted = ServerResponse & { [kBytes]?: number };

/**
 * Counts the memory of a request that has come before the response to an earlier one, until its own response is closed.
 * They count for the limits of `OpenBytes`, which closes the connection when it cuts them.
 */
export function startPipelined(response: ServerResponse, openBytes: OpenBytes): void {
  const socket: PipelinedSocket = response.req.socket;
  if (socket.destroyed) return;
  socket[kPipelined] ??= openPipelined(socket, openBytes);
  const bytes = headBytesOf(response.req.rawHeaders, response.req.url);
  (response as Counted)[kBytes] = bytes;
  socket[kPipelined].share.take(bytes);
}

/** Keeps a pipelined request until others have their response. A connection on which too many wait is cut. */
export function waitForEarlier({ req: request }: ServerResponse, begin: () => void): void {
  const socket: PipelinedSocket = request.socket;
  const pipelined = socket[kPipelined];
  if (pipelined === undefined || socket.destroyed) return;
  const bodyBytes = bodyBytesOf(request);
  pipelined.waiting.push({ begin, bodyBytes });
  if (pipelined.waiting.length > maxWaiting) socket.destroy();
  else pipelined.share.take(bodyBytes);
}

/** Ends the count of a request when its response is closed, and begins the next one that waits. */
export function endPipelined(response: ServerResponse): void {
  const socket: PipelinedSocket = response.req.socket;
  const pipelined = socket[kPipelined];
  if (pipelined === undefined) return;
  pipelined.share.release((response as Counted)[kBytes] ?? 0);
  const next = socket.destroyed ? undefined : pipelined.waiting.shift();
  if (next === undefined) return;
  pipelined.share.release(next.bodyBytes);
  next.begin();
}

function openPipelined(socket: Socket, openBytes: OpenBytes): PipelinedRequests {
  const share = openBytes.openRequests(connectionOf(socket), socket);
  const pipelined: PipelinedRequests = { waiting: [], share };
  socket.once("close", () => {
    pipelined.waiting.length = 0;
  });
  return pipelined;
}

function bodyBytesOf({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return maxBodyBytes;
  return Math.min(Number(headers["content-length"] ?? 0), maxBodyBytes);
}
