import http, { type IncomingHttpHeaders } from "node:http";
import https from "node:https";
import { exactCountOf } from "../text/count.ts";
import {
  acceptEncoding,
  ContentEncodingError,
  type Decoder,
  type DecoderEvents,
  openDecoder,
  readContentEncoding,
} from "./content-encoding.ts";
import type { Outbound } from "./outbound.ts";
import { userAgent } from "./user-agent.ts";

export interface HttpClientOptions {
  /** `http:` or `https:` */
  readonly url: string;
  readonly method: "POST" | "PUT";
  /** The maximum number of connections. */
  readonly maxConnections: number;
  /** The bytes of a response that are read, as received and decoded. */
  readonly maxResponseBytes: number;
  readonly tls: https.AgentOptions;
  readonly outbound: Outbound;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning of the decoded body. */
  readonly text: string;
  /** True if the body is longer than what is read. */
  readonly isTruncated: boolean;
  /** The reason why the body cannot be read; the text is empty then. */
  readonly bodyFault?: string | undefined;
}

/** An error for a connection that was lost during the response. */
export class IncompleteResponseError extends Error {
  override readonly name = "IncompleteResponseError";

  constructor(bytes: number, cause: unknown) {
    super(`response was cut after ${exactCountOf(bytes, "byte")} of its body`, { cause });
  }
}

export interface HttpClient {
  /**
   * @param path the path with its query; by default that of the URL
   * @throws OutboundRefusedError, IncompleteResponseError, or the error of the connection
   */
  exchange(
    headers: http.OutgoingHttpHeaders,
    body: Uint8Array,
    signal: AbortSignal,
    path?: string,
  ): Promise<ReceivedResponse>;
  close(): void;
}

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };
/** Idle connections are kept this long, or shorter if the server says so. */
const keepAliveMs = 30_000;

/** Creates a client for one URL over HTTP/1.1 with kept connections. Redirects are not followed. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const url = new URL(options.url);
  const settings = { keepAlive: true, maxSockets: options.maxConnections, timeout: keepAliveMs };
  const agent =
    url.protocol === "https:" ? new https.Agent({ ...settings, ...options.tls }) : new http.Agent(settings);
  const port = Number(url.port) || defaultPorts[url.protocol]!;
  // Brackets belong to URLs only.
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return {
    async exchange(headers, body, signal, path = `${url.pathname}${url.search}`) {
      const request = (url.protocol === "https:" ? https : http).request({
        ...options.outbound.connectOptions(host, port),
        agent,
        signal,
        method: options.method,
        path,
        headers: { ...ownHeaders(headers), ...headers, "content-length": body.length },
      });
      const received = receiveResponse(request, options.maxResponseBytes, signal);
      request.end(body);
      return received;
    },
    close: () => agent.destroy(),
  };
}

/** Returns the headers of every call, except those that the caller sets. */
export function ownHeaders(given: object): Readonly<Record<string, string>> {
  const names = Object.keys(given).map((name) => name.toLowerCase());
  const own = { "user-agent": userAgent, "accept-encoding": acceptEncoding };
  return Object.fromEntries(Object.entries(own).filter(([name]) => !names.includes(name)));
}

/** Resolves with the response to the request, which may still be being written. */
export function receiveResponse(
  request: http.ClientRequest,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ReceivedResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<ReceivedResponse>();
  request.on("error", reject);
  request.on("response", (response) => {
    readResponse(response, maxBytes, signal).then(resolve, reject);
  });
  // Without a listener, Node closes the connection and reports nothing, not even an aborted signal.
  request.on("upgrade", ({ statusCode: status = 0, headers }, socket) => {
    socket.destroy();
    resolve({ status, headers, text: "", isTruncated: false, bodyFault: undefined });
  });
  return promise;
}

/** Reads the beginning of the body, and closes the connection when the body exceeds the limit. */
function readResponse(
  response: http.IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ReceivedResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<ReceivedResponse>();
  const { statusCode: status = 0, headers } = response;
  const chunks: Buffer[] = [];
  let [bytes, cameBytes] = [0, 0];
  const end = (bodyFault?: string, isCut = false): void => {
    const isTruncated = isCut || bytes > maxBytes;
    const text = bodyFault === undefined ? Buffer.concat(chunks).subarray(0, maxBytes).toString("utf8") : "";
    resolve({ status, headers, text, isTruncated, bodyFault });
  };
  const take = (chunk: Buffer): void => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) giveUp(undefined, true);
  };
  const decoder = decoderOf(response, {
    data: take,
    end: () => end(),
    error: ({ message }) => giveUp(message),
  });
  const giveUp = (bodyFault?: string, isCut = false): void => {
    end(bodyFault, isCut);
    response.destroy();
    if (decoder !== undefined && !(decoder instanceof ContentEncodingError)) decoder.destroy();
  };
  if (decoder instanceof ContentEncodingError) {
    giveUp(decoder.message);
    return promise;
  }
  // Events instead of iteration, which makes the whole request a fifth slower.
  response.on("data", (chunk: Buffer) => {
    cameBytes += chunk.length;
    if (decoder === undefined) take(chunk);
    // Bytes that decode to nothing, such as empty members of gzip.
    else if (cameBytes > maxBytes + slackBytes) giveUp(undefined, true);
    else decoder.write(chunk);
  });
  response.on("end", () => (decoder === undefined ? end() : decoder.end()));
  response.on("error", (error) =>
    reject(signal.aborted ? error : new IncompleteResponseError(cameBytes, error)),
  );
  return promise;
}

/** The bytes by which an encoded body may be longer than the decoded one. */
const slackBytes = 4_096;

/** Returns undefined if the body is not encoded. */
function decoderOf(
  { headers }: http.IncomingMessage,
  events: DecoderEvents,
): Decoder | ContentEncodingError | undefined {
  try {
    const encodings = readContentEncoding(headers["content-encoding"]);
    return encodings.length === 0 ? undefined : openDecoder(encodings, events);
  } catch (error) {
    if (error instanceof ContentEncodingError) return error;
    throw error;
  }
}
