import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import { createInflater, InflatedTooLongError, inflateShort } from "../../base/compression/inflate.ts";
import type { JsonBoundsScan, JsonExcess, ScannedJson } from "../../base/json/bounds.ts";
import type { BodyLimit } from "../../base/rpc/request-head.ts";
import { quoteText } from "../../base/text/quote.ts";
import { messageTooLarge, refuse } from "../call/refusals.ts";
import { type BodySink, Http1Request } from "./http1/http1-request.ts";
import { sendBeforeReading } from "./http1/waiting-responses.ts";
import { MessageBuffer } from "./message-buffer.ts";
import type { ByteShare } from "./open-bytes.ts";

/** Bytes that are inflated at a time. */
const partBytes = 64 * 1024;

/** A longer body is scanned while it arrives, as scanning it at once would take more than half a millisecond. */
const longBytes = 128 * 1024;

/** Receives the body of a request, or the reason why there is none. */
export interface BodyReader {
  /** Size on the wire. */
  bytesRead(bytes: number): void;
  /**
   * @param body empty if it is refused
   * @param encoded the body as it was sent, where a content encoding was undone
   */
  receive(body: Buffer, encoded?: Buffer): void;
  /**
   * Called while a long body arrives; returns true if it is refused for its beginning. The rest is then discarded, or
   * not inflated.
   * @param body its beginning
   */
  isRefused?(body: Buffer): boolean;
  fail(reason: unknown): void;
}

type Request = IncomingMessage | Http2ServerRequest;

/**
 * Reads the body of a request, with its Content-Encoding (gzip, br) undone.
 * Stops with RESOURCE_EXHAUSTED as soon as there are more bytes than there is
 * room for, counted on the wire and again while inflating. What has come is on
 * `hold` until that is closed, after which nothing is read any more.
 */
export function collectBody(request: Request, room: BodyLimit, hold: ByteShare, reader: BodyReader): void {
  const { headers } = request;
  const encoding = encodingOf(headers["content-encoding"]);
  const declared = Number(headers["content-length"] ?? 0);
  if (declared > room.maxBytes) failLater(reader, tooLarge(room, declared));
  else if (encoding === "identity") collect(request, declared, room, hold, reader);
  else if (encoding !== "gzip" && encoding !== "br") failLater(reader, unsupported(encoding));
  else collect(request, declared, room, hold, inflating(encoding, room, hold, reader));
}

/**
 * Names have no case, and one has a second spelling: https://www.rfc-editor.org/rfc/rfc9110.html#name-content-codings
 */
function encodingOf(header = "identity"): string {
  const name = header.toLowerCase();
  return name === "x-gzip" ? "gzip" : name;
}

/** Opens a scan of a body of JSON; undefined for another body. */
export type OpenScan = () => JsonBoundsScan | undefined;

/** Scans a long body while it arrives. */
export class BodyScan {
  readonly #scan: JsonBoundsScan | undefined;
  #excess: JsonExcess | undefined;

  constructor(open: OpenScan | undefined) {
    this.#scan = open?.();
  }

  /** Reports whether the beginning of the body exceeds a bound. */
  isRefused(beginning: Buffer): boolean {
    this.#excess = this.#scan?.advance(beginning);
    return this.#excess !== undefined;
  }

  /** Ends the scan. @param body the whole, unless it is refused */
  finish(body: Buffer): ScannedJson | undefined {
    return this.#scan && { excess: this.#excess ?? this.#scan.finish(body) };
  }
}

/** Reads a body as a promise. `bytesRead` receives the size on the wire. */
export function readBody(
  request: Request,
  room: BodyLimit,
  hold: ByteShare,
  { bytesRead, openScan }: { readonly bytesRead: (bytes: number) => void; readonly openScan: OpenScan },
): Promise<{ readonly body: Buffer; readonly scanned: ScannedJson | undefined }> {
  return new Promise((resolve, fail) => {
    let scan: BodyScan | undefined;
    const isRefused = (beginning: Buffer): boolean => {
      scan ??= new BodyScan(openScan);
      return scan.isRefused(beginning);
    };
    const receive = (body: Buffer): void => {
      sendBeforeReading(body.length);
      resolve({ body, scanned: scan?.finish(body) });
    };
    collectBody(request, room, hold, { bytesRead, receive, isRefused, fail });
  });
}

/** @param bytes the size that was declared, where one was */
function tooLarge({ maxBytes, tooLarge: own }: BodyLimit, bytes?: number): ConnectError {
  return own?.() ?? messageTooLarge(bytes, maxBytes);
}

function unsupported(encoding: string): ConnectError {
  const message = `content-encoding ${quoteText(encoding)} is not supported, valid are gzip, br, identity`;
  return refuse("UNSUPPORTED_CONTENT_ENCODING", Code.Unimplemented, message);
}

type Encoding = "gzip" | "br";

function inflating(encoding: Encoding, room: BodyLimit, hold: ByteShare, reader: BodyReader): BodyReader {
  return {
    bytesRead: (bytes) => reader.bytesRead(bytes),
    fail: (reason) => reader.fail(reason),
    receive: (wire) => {
      hold.complete();
      const short = tryShort(wire, encoding, room);
      if (short instanceof ConnectError) reader.fail(short);
      else if (short !== undefined) reader.receive(short, wire);
      else {
        inflate(wire, encoding, room, hold, reader).then(
          (body) => reader.receive(body, wire),
          (error: unknown) => reader.fail(error),
        );
      }
    },
  };
}

/** Inflates a short body at once; undefined for others. */
function tryShort(wire: Buffer, encoding: Encoding, room: BodyLimit): Buffer | ConnectError | undefined {
  try {
    return inflateShort(wire, encoding, room.maxBytes);
  } catch (error) {
    if (error instanceof InflatedTooLongError) return tooLarge(room);
    throw error;
  }
}

async function inflate(
  wire: Buffer,
  encoding: Encoding,
  room: BodyLimit,
  hold: ByteShare,
  reader: BodyReader,
): Promise<Buffer> {
  const body = new MessageBuffer();
  using _turn = await hold.connection.address.inflating.acquire();
  if (!hold.isOpen) throw callEnded();
  try {
    const inflater = createInflater(encoding, { chunkSize: partBytes });
    inflater.end(wire);
    for await (const part of inflater as AsyncIterable<Buffer>) {
      if (body.length + part.length > room.maxBytes) throw tooLarge(room);
      body.add(part, 0);
      hold.take(part.length);
      if (!hold.isOpen) throw callEnded();
      if (reader.isRefused?.(body.all)) {
        body.discard();
        break;
      }
    }
  } catch (error) {
    if (error instanceof ConnectError) throw error;
    throw new ConnectError(`the body is not valid ${encoding}`, Code.InvalidArgument);
  }
  if (wire.length === 0) throw new ConnectError(`the body is not valid ${encoding}`, Code.InvalidArgument);
  return body.take() ?? Buffer.alloc(0);
}

function callEnded(): ConnectError {
  return new ConnectError("the call has ended", Code.Canceled);
}

function collect(
  request: Request,
  declared: number,
  room: BodyLimit,
  hold: ByteShare,
  reader: BodyReader,
): void {
  const collector = new Collector(declared, room, hold, reader);
  if (request instanceof Http1Request && request.readInto(collector)) return;
  const onData = (chunk: Buffer): void => {
    if (!collector.receive(chunk)) request.off("data", onData);
  };
  const onClose = (): void => collector.abort();
  request.on("data", onData);
  request.on("end", () => collector.end());
  request.on("error", onClose);
  // An aborted request is also an error on HTTP/1.1.
  if (request.httpVersionMajor === 2) request.on("aborted", onClose);
}

/** A body that arrives. */
class Collector implements BodySink {
  readonly #declared: number;
  readonly #room: BodyLimit;
  readonly #hold: ByteShare;
  readonly #reader: BodyReader;
  readonly #body = new MessageBuffer();
  #length = 0;
  #isRefused = false;
  #isOver = false;

  constructor(declared: number, room: BodyLimit, hold: ByteShare, reader: BodyReader) {
    this.#declared = declared;
    this.#room = room;
    this.#hold = hold;
    this.#reader = reader;
  }

  receive(chunk: Buffer): boolean {
    const hold = this.#hold;
    this.#length += chunk.length;
    if (this.#length > this.#room.maxBytes) this.#fail(tooLarge(this.#room));
    else if (hold.isOpen && !this.#isRefused) this.#add(chunk);
    if (!this.#isOver && hold.isOpen) return true;
    this.#body.take();
    return false;
  }

  #add(chunk: Buffer): void {
    const body = this.#body;
    body.add(chunk, this.#declared);
    this.#hold.take(chunk.length);
    this.#isRefused = this.#length > longBytes && this.#reader.isRefused?.(body.all) === true;
    if (this.#isRefused) body.discard();
  }

  end(): void {
    if (this.#isOver || !this.#hold.isOpen) return;
    this.#isOver = true;
    this.#reader.bytesRead(this.#length);
    this.#reader.receive(this.#body.take() ?? Buffer.alloc(0));
  }

  abort(): void {
    this.#fail(new ConnectError("the caller closed the connection", Code.Canceled));
  }

  #fail(reason: ConnectError): void {
    if (!this.#isOver) failLater(this.#reader, reason);
    this.#isOver = true;
  }
}

/** Fails after the events of a broken request: before them its response does not know that the connection is closed. */
function failLater(reader: BodyReader, reason: ConnectError): void {
  queueMicrotask(() => reader.fail(reason));
}
