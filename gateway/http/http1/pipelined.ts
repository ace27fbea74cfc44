import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { connectionOf } from "../connections.ts";
import type { ByteShare, OpenBytes } from "../open-bytes.ts";

/** Pipelined requests of one connection that are handled at a time: their responses are sent in order anyway. */
export const maxPipelined = 16;
/** Requests that may wait for them: Node parses all that arrive until responses wait to be read. */
const maxWaiting = 4_000;
/** The memory of a request, without what follows. */
const requestBytes = 3_000;
/** The memory of the name or the value of a header beside its characters. */
const textBytes = 40;
/** What Node reads of a body that nothing takes. */
const maxBodyBytes = 65_536;

/** The requests of a connection that wait. */
interface Pipe {
  readonly waiting: { readonly begin: () => void; readonly bytes: number }[];
  /** Their memory. */
  readonly share: ByteShare;
}

const kPipe = Symbol("pipelined requests that wait");

type Pipelined = Socket & { [kPipe]?: Pipe };

/**
 * Keeps a request of a connection that has `maxPipelined` open ones. A connection on which too many wait is cut, and so
 * is the one whose requests take most if those of a connection, of an address or of all take too much memory.
 */
export function waitForEarlier(request: IncomingMessage, openBytes: OpenBytes, begin: () => void): void {
  const socket: Pipelined = request.socket;
  if (socket.destroyed) return;
  socket[kPipe] ??= openPipe(socket, openBytes);
  const { waiting, share } = socket[kPipe];
  const bytes = bytesOf(request);
  waiting.push({ begin, bytes });
  if (waiting.length > maxWaiting) socket.destroy();
  else share.take(bytes);
}

/** Begins the next waiting request of this connection once another has its response. */
export function beginNext(socket: Socket): void {
  const pipe = (socket as Pipelined)[kPipe];
  if (pipe === undefined || socket.destroyed) return;
  const next = pipe.waiting.shift();
  if (next === undefined) return;
  pipe.share.release(next.bytes);
  next.begin();
}

function openPipe(socket: Pipelined, openBytes: OpenBytes): Pipe {
  const share = openBytes.openRequests(connectionOf(socket), { cut: () => void socket.destroy() });
  const pipe: Pipe = { waiting: [], share };
  socket.once("close", () => {
    pipe.waiting.length = 0;
    share.close();
  });
  return pipe;
}

function bytesOf({ url = "", rawHeaders, headers }: IncomingMessage): number {
  let characters = url.length;
  for (const text of rawHeaders) characters += text.length;
  const body =
    headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : maxBodyBytes;
  return requestBytes + textBytes * rawHeaders.length + characters + Math.min(body, maxBodyBytes);
}
