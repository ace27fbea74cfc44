import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { type Dispatcher, Pool } from "undici";
import { acceptEncoding } from "../../../../base/net/content-encoding.ts";
import { userAgent } from "../../../../base/net/user-agent.ts";

export interface ConnectionOptions {
  /** The origin, as `http://host:port`. */
  readonly origin: string;
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  /** The trusted authorities, PEM. Undefined means those of Node. */
  readonly ca: string | undefined;
  /** The longest silence within a body that is being read. */
  readonly bodyTimeoutMs: number;
}

export interface UpstreamRequest {
  readonly path: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
  /** Headers besides those of every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that failed before the head of its response arrived. */
export class RequestFault extends Error {
  override readonly name = "RequestFault";
  /** Whether the connection failed before a byte of the response arrived, so that the request may be sent again. */
  readonly isWithoutResponse: boolean;

  constructor(cause: unknown, isWithoutResponse: boolean) {
    super("the request failed", { cause });
    this.isWithoutResponse = isWithoutResponse;
  }
}

/** A pool of connections to one server. */
export interface Connections extends AsyncDisposable {
  /** Sends a request and resolves with the head of the response. @throws RequestFault */
  post(request: UpstreamRequest): Promise<Dispatcher.ResponseData>;
}

/** Error codes of connections, as opposed to late or malformed responses. */
const connectionFaults: ReadonlySet<string> = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_SOCKET",
]);

/** https://github.com/nodejs/undici/blob/main/docs/docs/api/DiagnosticsChannel.md */
const sendHeaders = "undici:client:sendHeaders";

interface SentRequest {
  readonly request: { readonly body: unknown };
  readonly socket: Socket;
}

/** Opens a pool of HTTP/1.1 connections with one request at a time each. Bodies of responses are not decoded. */
export function openConnections(options: ConnectionOptions): Connections {
  const pool = new Pool(options.origin, {
    connections: options.maxConnections,
    pipelining: 1,
    allowH2: false,
    connect: { timeout: options.connectTimeoutMs, ...(options.ca !== undefined && { ca: options.ca }) },
    // Callers limit the time to the head with their signal.
    headersTimeout: 0,
    bodyTimeout: options.bodyTimeoutMs,
  });
  /** The state of requests by their body, which is the only object that both the channel and the caller see. */
  const sent = new WeakMap<object, { readonly socket: Socket; readonly bytesBefore: number } | "waiting">();
  const noteSent = (message: unknown): void => {
    const { request, socket } = message as SentRequest;
    const { body } = request;
    if (typeof body !== "object" || body === null || !sent.has(body)) return;
    sent.set(body, { socket, bytesBefore: socket.bytesRead });
  };
  subscribe(sendHeaders, noteSent);

  const isWithoutResponse = (body: Buffer, error: unknown): boolean => {
    if (!connectionFaults.has(String((error as NodeJS.ErrnoException).code))) return false;
    const place = sent.get(body);
    return typeof place !== "object" || place.socket.bytesRead === place.bytesBefore;
  };
  return {
    async post({ path, contentType, body, signal, headers }) {
      const own = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
      sent.set(own, "waiting");
      try {
        return await pool.request({
          method: "POST",
          path,
          headers: {
            ...headers,
            "content-type": contentType,
            accept: "*/*",
            "user-agent": userAgent,
            "accept-encoding": acceptEncoding,
          },
          body: own,
          signal,
        });
      } catch (error) {
        throw new RequestFault(error, isWithoutResponse(own, error));
      }
    },
    async [Symbol.asyncDispose]() {
      unsubscribe(sendHeaders, noteSent);
      await pool.destroy();
    },
  };
}
