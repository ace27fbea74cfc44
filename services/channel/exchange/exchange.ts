import http from "node:http";
import type * as https from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createHttpClient,
  IncompleteResponseError,
  ownHeaders,
  type ReceivedResponse,
  receiveResponse,
  UnusualResponseError,
} from "../../../base/net/http-client.ts";
import type { KeptConnections, PostRequest } from "../../../base/net/kept-connections.ts";
import { loadHttps } from "../../../base/net/late-modules.ts";
import { type Outbound, OutboundRefusedError } from "../../../base/net/outbound.ts";
import { exactCountOf } from "../../../base/text/count.ts";
import { describeError } from "../../../base/text/system-error.ts";

/** One HTTP request to a receiver: a POST of exact bytes. */
export interface ExchangeRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Ends the call: with the outcome `timeout` if its reason is a TimeoutError, otherwise with `cancelled`. */
  readonly signal: AbortSignal;
  /**
   * Called at most once, before the response is returned: the connection has taken the whole body, and nothing refers
   * to it any more. Not all connections can tell.
   */
  readonly bodyTaken?: (() => void) | undefined;
  /** How the body is written, for tests of receivers. Default: at once. */
  readonly writing?: BodyWriting;
}

/** An unusual way to write a body. */
export interface BodyWriting {
  /** The speed at which the body is written, in pieces. */
  readonly bytesPerSecond?: number;
  /** Closes the connection after this many bytes, although the header announces the whole length. */
  readonly stopAfterBytes?: number;
}

export interface ExchangeResponse {
  readonly kind: "response";
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body, or its beginning, with its content encoding undone. */
  readonly text: string;
  /** Whether the body was longer than `text`. */
  readonly isTruncated: boolean;
  /** Why the body cannot be read, such as an unknown content encoding; then the text is empty. */
  readonly bodyFault?: string | undefined;
}

/**
 * Why there is no response. `connection`: it could not be opened, or was lost before the response began. `cut`: it was
 * lost within the response. `not_http`: the response is not HTTP. `refused_address`: the outbound rules forbid the
 * address. `cancelled`: the caller aborted the call.
 */
export type ExchangeFailureKind =
  | "timeout"
  | "connection"
  | "cut"
  | "not_http"
  | "refused_address"
  | "cancelled";

export interface ExchangeFailure {
  readonly kind: ExchangeFailureKind;
  readonly message: string;
}

export type ExchangeOutcome = ExchangeResponse | ExchangeFailure;

/**
 * Sends a request to one URL. Returns redirects as responses and never rejects because of the network or the receiver.
 */
export type Exchange = (request: ExchangeRequest) => Promise<ExchangeOutcome>;

export interface ExchangeOptions {
  /** `http:` or `https:` */
  readonly url: string;
  readonly outbound: Outbound;
  /** Connections kept at most. */
  readonly maxConnections: number;
  /** Bytes of a response that are read at most. */
  readonly maxResponseBytes: number;
  readonly tls?: https.AgentOptions;
}

export interface OpenExchange extends Disposable {
  readonly exchange: Exchange;
}

/** The maximum of a receiver's response: 500 elements with a reason of 2,000 characters each. */
export const maxReceiverResponseBytes = 1_048_576;

/** Calls one URL over HTTP/1.1 with kept connections. */
export function createExchange({ tls = {}, ...given }: ExchangeOptions): OpenExchange {
  const options = { ...given, tls };
  const post = compilePost(options);
  return {
    async exchange(request) {
      const { signal, writing } = request;
      try {
        const response =
          writing === undefined ? await post(request) : await exchangeUnusually(options, request, writing);
        return { kind: "response", ...response };
      } catch (error) {
        return failureOf(error, signal);
      }
    },
    [Symbol.dispose]: () => post[Symbol.dispose](),
  };
}

type Post = ((request: PostRequest) => Promise<ReceivedResponse>) & Disposable;

/**
 * Compiles the function that posts to the URL. Calls go over `KeptConnections` after a first one with the client that
 * also reads unusual responses, and over that client if a receiver sends such responses.
 */
function compilePost(options: Required<ExchangeOptions>): Post {
  const client = createHttpClient({ ...options, method: "POST" });
  let connections: KeptConnections | undefined;
  let isUnusual = false;
  const close = (): void => {
    connections?.[Symbol.dispose]();
    connections = undefined;
  };
  const first = async ({ headers, body, signal }: PostRequest): Promise<ReceivedResponse> => {
    const response = await client.exchange(headers, body, signal);
    isUnusual ||= response.isUnusual === true;
    if (isUnusual || connections !== undefined) return response;
    const { KeptConnections } = await import("../../../base/net/kept-connections.ts");
    connections ??= new KeptConnections(options);
    return response;
  };
  const post = async (request: PostRequest): Promise<ReceivedResponse> => {
    if (connections === undefined || isUnusual) return await first(request);
    try {
      return await connections.post(withOwnHeaders(request));
    } catch (error) {
      isUnusual ||= error instanceof UnusualResponseError;
      throw error;
    }
  };
  return Object.assign(post, {
    [Symbol.dispose]() {
      client.close();
      close();
    },
  });
}

/** Returns the same request if it has all headers, as those of pushes have. */
function withOwnHeaders(request: PostRequest): PostRequest {
  const { headers } = request;
  const own = ownHeaders(headers);
  return Object.keys(own).length === 0 ? request : { ...request, headers: { ...own, ...headers } };
}

function failureOf(error: unknown, signal: AbortSignal): ExchangeOutcome {
  if (!signal.aborted) return { kind: kindOf(error), message: describeError(error) };
  const isTimeout = signal.reason instanceof Error && signal.reason.name === "TimeoutError";
  return isTimeout
    ? { kind: "timeout", message: "no answer before the timeout" }
    : { kind: "cancelled", message: "cancelled" };
}

function kindOf(error: unknown): ExchangeFailureKind {
  if (error instanceof OutboundRefusedError) return "refused_address";
  if (error instanceof IncompleteResponseError) return isParserError(error.cause) ? "not_http" : "cut";
  return isParserError(error) ? "not_http" : "connection";
}

/** Reports whether an error comes from Node's HTTP parser, whose codes begin with `HPE_`. */
function isParserError(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("HPE_");
}

/** A connection of its own, on which the body is written slowly or not to its end. */
async function exchangeUnusually(
  { url: text, outbound, maxResponseBytes, tls }: ExchangeOptions,
  { headers, body, signal }: ExchangeRequest,
  writing: BodyWriting,
): Promise<ReceivedResponse> {
  const url = new URL(text);
  const isTls = url.protocol === "https:";
  const port = Number(url.port) || (isTls ? 443 : 80);
  const request = (isTls ? loadHttps() : http).request({
    ...tls,
    ...outbound.connectOptions(url.hostname.replace(/^\[|\]$/g, ""), port),
    agent: false,
    signal,
    method: "POST",
    path: `${url.pathname}${url.search}`,
    headers: { ...ownHeaders(headers), ...headers, "content-length": body.length },
  });
  let hasResponse = false;
  request.on("response", () => {
    hasResponse = true;
  });
  const response = receiveResponse(request, maxResponseBytes, signal);
  const written = write(request, body, writing, () => hasResponse || request.destroyed);
  return Promise.race([response, written.then(() => response)]);
}

/** Pieces in a second, at most. */
const piecesPerSecond = 10;

async function write(
  request: http.ClientRequest,
  body: Uint8Array,
  { bytesPerSecond = Number.POSITIVE_INFINITY, stopAfterBytes = body.length }: BodyWriting,
  isOver: () => boolean,
): Promise<void> {
  const end = Math.min(stopAfterBytes, body.length);
  const pieceBytes = Math.min(end, Math.max(1, Math.round(bytesPerSecond / piecesPerSecond)));
  for (let at = 0; at < end && !isOver(); at += pieceBytes) {
    if (at > 0) await sleep((1_000 * pieceBytes) / bytesPerSecond);
    const piece = body.subarray(at, Math.min(end, at + pieceBytes));
    await writePiece(request, piece);
  }
  if (stopAfterBytes >= body.length) request.end();
  else if (!isOver())
    request.destroy(new Error(`connection closed after ${exactCountOf(end, "byte")}, as configured`));
}

/**
 * Resolves when the bytes are on their way and the request takes more. Node may call a write back while the request
 * still waits for the connection to take what came before.
 */
async function writePiece(request: http.ClientRequest, piece: Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => request.write(piece, () => resolve()));
  if (!request.writableNeedDrain) return;
  await new Promise<void>((resolve) => {
    request.once("drain", resolve);
    request.once("close", resolve);
  });
}
