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
  /** Connections kept at most. */
  readonly maxConnections: number;
  /** Of the answer, as it came and decoded; more is not read. */
  readonly maxAnswerBytes: number;
  readonly tls: https.AgentOptions;
  readonly outbound: Outbound;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning of the body, with its content encoding undone. */
  readonly text: string;
  /** Whether there was more of it than is read. */
  readonly isTruncated: boolean;
  /** Why the body can't be read, which then is empty. */
  readonly bodyFault?: string | undefined;
}

/** The connection was lost within the answer. */
export class AnswerCutError extends Error {
  override readonly name = "AnswerCutError";

  constructor(bytes: number, cause: unknown) {
    super(`answer was cut after ${exactCountOf(bytes, "byte")} of its body`, { cause });
  }
}

export interface HttpClient {
  /**
   * @param path with its query, as it is sent; that of the URL unless given
   * @throws OutboundRefusedError, AnswerCutError, or what the connection failed with
   */
  exchange(
    headers: http.OutgoingHttpHeaders,
    body: Uint8Array,
    signal: AbortSignal,
    path?: string,
  ): Promise<HttpAnswer>;
  close(): void;
}

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };
/** Idle connections are kept for this long, or shorter when the server says so. */
const keepAliveMs = 30_000;

/** Requests to one URL over HTTP/1.1 with kept connections; redirects are answers like others. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const url = new URL(options.url);
  const settings = { keepAlive: true, maxSockets: options.maxConnections, timeout: keepAliveMs };
  const agent =
    url.protocol === "https:" ? new https.Agent({ ...settings, ...options.tls }) : new http.Agent(settings);
  const port = Number(url.port) || defaultPorts[url.protocol]!;
  // Brackets are for URLs only.
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
      const answer = receiveAnswer(request, options.maxAnswerBytes, signal);
      request.end(body);
      return answer;
    },
    close: () => agent.destroy(),
  };
}

/** The headers that every call has, but for those that the caller gives itself. */
export function ownHeaders(given: object): Readonly<Record<string, string>> {
  const names = Object.keys(given).map((name) => name.toLowerCase());
  const own = { "user-agent": userAgent, "accept-encoding": acceptEncoding };
  return Object.fromEntries(Object.entries(own).filter(([name]) => !names.includes(name)));
}

/** What answers the request, which need not be written yet. */
export function receiveAnswer(
  request: http.ClientRequest,
  maxBytes: number,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  request.on("error", reject);
  request.on("response", (response) => {
    readAnswer(response, maxBytes, signal).then(resolve, reject);
  });
  // Unheard, Node closes the connection and tells nothing else, not even that the signal was aborted.
  request.on("upgrade", ({ statusCode: status = 0, headers }, socket) => {
    socket.destroy();
    resolve({ status, headers, text: "", isTruncated: false, bodyFault: undefined });
  });
  return promise;
}

/** Reads the beginning; the connection is given up when there is more than the limit. */
function readAnswer(
  response: http.IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
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
  // Events, since iterating costs a fifth more of the whole request.
  response.on("data", (chunk: Buffer) => {
    cameBytes += chunk.length;
    if (decoder === undefined) take(chunk);
    // Much of which nothing comes out, such as empty members of gzip.
    else if (cameBytes > maxBytes + slackBytes) giveUp(undefined, true);
    else decoder.write(chunk);
  });
  response.on("end", () => (decoder === undefined ? end() : decoder.end()));
  response.on("error", (error) => reject(signal.aborted ? error : new AnswerCutError(cameBytes, error)));
  return promise;
}

/** By which an encoded body may be longer than what it encodes. */
const slackBytes = 4_096;

/** Undefined: the body is not encoded. */
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
