import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { promisify } from "node:util";
import { brotliDecompress, gunzip } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import { quoteText } from "../base/text/quote.ts";
import { messageTooLarge, refuse } from "./refusals.ts";
import type { Room } from "./request-head.ts";

const inflaters = { gzip: promisify(gunzip), br: promisify(brotliDecompress) };

/** Told how the body of a request comes in, and what it is or why there is none. */
export interface BodyReader {
  /** Size on the wire. */
  bytesRead(bytes: number): void;
  receive(body: Buffer): void;
  fail(reason: unknown): void;
}

type Request = IncomingMessage | Http2ServerRequest;

/**
 * Reads the body of a request, with its Content-Encoding (gzip, br) undone.
 * Stops at the bytes there is room for, counted on the wire and again after inflating, with
 * RESOURCE_EXHAUSTED.
 */
export function collectBody(request: Request, room: Room, reader: BodyReader): void {
  const { headers } = request;
  const { maxBytes } = room;
  const encoding = headers["content-encoding"] ?? "identity";
  const declared = Number(headers["content-length"] ?? 0);
  if (declared > maxBytes) failLater(reader, tooLarge(room, declared));
  else if (encoding === "identity") collect(request, room, reader);
  else collect(request, room, inflating(encoding, room, reader));
}

/** As a promise. `bytesRead` is told the size on the wire. */
export function readBody(request: Request, room: Room, bytesRead: (bytes: number) => void): Promise<Buffer> {
  return new Promise((receive, fail) => collectBody(request, room, { bytesRead, receive, fail }));
}

/** @param bytes the size that was declared, where one was */
function tooLarge({ maxBytes, tooLarge: own }: Room, bytes?: number): ConnectError {
  return own?.() ?? messageTooLarge(bytes, maxBytes);
}

function inflating(encoding: string, room: Room, reader: BodyReader): BodyReader {
  return {
    bytesRead: (bytes) => reader.bytesRead(bytes),
    fail: (reason) => reader.fail(reason),
    receive: (wire) => {
      inflate(wire, encoding, room).then(
        (body) => reader.receive(body),
        (error: unknown) => reader.fail(error),
      );
    },
  };
}

async function inflate(bytes: Buffer, encoding: string, room: Room): Promise<Buffer> {
  if (encoding !== "gzip" && encoding !== "br") {
    const message = `content-encoding ${quoteText(encoding)} is not supported, valid are gzip, br, identity`;
    throw refuse("UNSUPPORTED_CONTENT_ENCODING", Code.Unimplemented, message);
  }
  try {
    return await inflaters[encoding](bytes, { maxOutputLength: room.maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(room);
    throw new ConnectError(`the body is not valid ${encoding}`, Code.InvalidArgument);
  }
}

function collect(request: Request, room: Room, reader: BodyReader): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  const fail = (reason: ConnectError): void => {
    if (!isOver) failLater(reader, reason);
    isOver = true;
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > room.maxBytes) {
      request.off("data", onData);
      fail(tooLarge(room));
    } else chunks.push(chunk);
  };
  const gone = (): void => fail(new ConnectError("the caller went away", Code.Canceled));
  request.on("data", onData);
  request.on("end", () => {
    if (isOver) return;
    isOver = true;
    reader.bytesRead(bytes);
    reader.receive(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes));
  });
  request.on("error", gone);
  // On HTTP/1.1 it is an error too.
  if (request.httpVersionMajor === 2) request.on("aborted", gone);
}

/** Once the events of a broken request are through: until then its answer does not know that nobody is there. */
function failLater(reader: BodyReader, reason: ConnectError): void {
  queueMicrotask(() => reader.fail(reason));
}
