import {
  type ClientHttp2Stream,
  connect as connectHttp2,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from "node:http2";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";

export interface RawAnswer {
  readonly status: number;
  /** Headers and trailers together, names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The gRPC status of an answer: gRPC-Web has its trailers in the body, unless the head is all there is. */
export function grpcStatusOf({ headers, body }: RawAnswer): number {
  const tail = body.toString("latin1", Math.max(0, body.length - 500));
  return Number(headers["grpc-status"] ?? /grpc-status: (\d+)/.exec(tail)?.[1]);
}

/** A gRPC message with its prefix; `flags` and `length` can lie. */
export function envelope(payload: Uint8Array, flags = 0, length = payload.length): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flags;
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, payload]);
}

/** A request whose body is written by the test, on an HTTP/2 connection of its own. */
export interface OpenRequest extends Disposable {
  readonly stream: ClientHttp2Stream;
  readonly answer: Promise<RawAnswer>;
}

export function openHttp2(
  url: string,
  headers: OutgoingHttpHeaders,
  options: SecureClientSessionOptions & { readonly endStream?: boolean } = {},
): OpenRequest {
  const session = connectHttp2(url, options);
  session.on("error", () => undefined);
  const { endStream = false } = options;
  const stream = session.request({ ":method": "POST", ...headers }, { endStream });
  const received: IncomingHttpHeaders = {};
  stream.on("response", (head) => Object.assign(received, head));
  stream.on("trailers", (trailers) => Object.assign(received, trailers));
  // The server may answer and close before it has read everything.
  stream.on("error", () => undefined);
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const answer = new Promise<RawAnswer>((resolve) => {
    stream.once("close", () =>
      resolve({ body: Buffer.concat(chunks), status: Number(received[":status"]), headers: received }),
    );
  });
  return { stream, answer, [Symbol.dispose]: () => session.destroy() };
}

/** One request on an HTTP/2 connection of its own. A header that is undefined is not sent. */
export async function sendHttp2(
  url: string,
  headers: OutgoingHttpHeaders,
  body: Uint8Array = Buffer.alloc(0),
): Promise<RawAnswer> {
  using request = openHttp2(url, headers, { endStream: body.length === 0 });
  // Without a body, as for GET, the request has ended with its head.
  Readable.from(body.length === 0 ? [] : [body]).pipe(request.stream);
  return await request.answer;
}

/** Bytes on a TCP connection of its own, answered until the server closes it. */
export function sendTcp(port: number, bytes: string | Uint8Array): Promise<Buffer> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(bytes);
  return untilClosed(socket);
}

/** All that came until the connection was closed, in whatever way. */
export function untilClosed(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => socket.once("close", () => resolve(Buffer.concat(chunks))));
}

/** One HTTP/1.1 request with `connection: close`, its head as given. */
export async function sendHttp1(
  port: number,
  requestLine: string,
  headers: Readonly<Record<string, string | undefined>>,
  body: string | Uint8Array = "",
): Promise<RawAnswer> {
  const lines = Object.entries({ host: "localhost", connection: "close", ...headers });
  const head = `${requestLine} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  const answer = await sendTcp(port, Buffer.concat([Buffer.from(head), Buffer.from(body)]));
  const end = answer.indexOf("\r\n\r\n");
  const [statusLine = "", ...fields] = answer.toString("latin1", 0, end).split("\r\n");
  return {
    status: Number(statusLine.split(" ")[1]),
    headers: Object.fromEntries(
      fields.map((field) => {
        const colon = field.indexOf(":");
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
      }),
    ),
    body: answer.subarray(end + 4),
  };
}
