import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { connectionOf } from "../connections.ts";
import type { ByteShare, OpenBytes } from "../open-bytes.ts";

/** Pipelined requests of one connection that are handled at a time: their responses are sent in order anyway. */
export const maxPipelined = 16;
/** Requests that may wait for them: Node parses all that arrive until responses wait to be read. */
const maxWaiting = 4_000;
/** The memory of a request and its response, without what follows. */
const requestBytes = 3_000;
/** The memory of the name or the value of a header beside its characters. */
const textBytes = 40;
/** What Node reads of a body that nothing takes. */
const maxBodyBytes = 65_536;

/** The requests of a connection that came before the response to an earlier one. */
interface Pipe {
  /** Those that wait, with the memory of their bodies. */
  readonly waiting: { readonly begin: () => void; readonly bodyBytes: number }[];
  /** The memory of all of them. */
  readonly share: ByteShare;
}

const kPipe = Symbol("pipelined requests");
const kBytes = Symbol("bytes of a pipelined request");

type Pipelined = Socket & { [kPipe]?: Pipe };
type Counted = ServerResponse & { [kBytes]?: number };

/**
 * Counts the memory of a request that has come before the response to an earlier one, until its own response is closed.
 * If such requests of a connection, of an address or of all take too much, the connection with most is cut.
 */
export function startPipelined(response: ServerResponse, openBytes: OpenBytes): void {
  const socket: Pipelined = response.req.socket;
  if (socket.destroyed) return;
  socket[kPipe] ??= openPipe(socket, openBytes);
  const bytes = headBytesOf(response.req);
  (response as Counted)[kBytes] = bytes;
  socket[kPipe].share.take(bytes);
}

/** Keeps a pipelined request until others have their response. A connection on which too many wait is cut. */
export function waitForEarlier(request: IncomingMessage, begin: () => void): void {
  const socket: Pipelined = request.socket;
  const pipe = socket[kPipe];
  if (pipe === undefined || socket.destroyed) return;
  const bodyBytes = bodyBytesOf(request);
  pipe.waiting.push({ begin, bodyBytes });
  if (pipe.waiting.length > maxWaiting) socket.destroy();
  else pipe.share.take(bodyBytes);
}

/** Has to be called when a response is closed. Begins the next request of its connection that waits. */
export function endPipelined(response: ServerResponse): void {
  const socket: Pipelined = response.req.socket;
  const pipe = socket[kPipe];
  if (pipe === undefined) return;
  pipe.share.release((response as Counted)[kBytes] ?? 0);
  const next = socket.destroyed ? undefined : pipe.waiting.shift();
  if (next === undefined) return;
  pipe.share.release(next.bodyBytes);
  next.begin();
}

function openPipe(socket: Socket, openBytes: OpenBytes): Pipe {
  const share = openBytes.openRequests(connectionOf(socket), { cut: () => void socket.destroy() });
  const pipe: Pipe = { waiting: [], share };
  socket.once("close", () => {
    pipe.waiting.length = 0;
    share.close();
  });
  return pipe;
}

function headBytesOf({ url = "", rawHeaders }: IncomingMessage): number {
  let characters = url.length;
  for (const text of rawHeaders) characters += text.length;
  return requestBytes + textBytes * rawHeaders.length + characters;
}

function bodyBytesOf({ headers }: IncomingMessage): number {
  if (headers["transfer-encoding"] !== undefined) return maxBodyBytes;
  return Math.min(Number(headers["content-length"] ?? 0), maxBodyBytes);
}
