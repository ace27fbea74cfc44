import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { LruCache } from "../../base/cache/lru-cache.ts";
import type { Exchange } from "../../services/channel/exchange/exchange.ts";
import {
  type BatchResponse,
  createBatchReader,
  rememberedIds,
  type SeenBatch,
  type SeenRequest,
} from "../../services/webhook/inspect/inspect.ts";

export interface ListenerOptions {
  /** Port on loopback; 0 for any free port. */
  readonly port: number;
  readonly secret: string | undefined;
  readonly headerName: string;
  readonly response: ConfiguredResponse;
  readonly delayMs: number;
  /** Forwards requests; undefined to respond to them here. */
  readonly exchange: Exchange | undefined;
  readonly onSeen: (seen: SeenRequest) => void;
}

export interface Listener extends AsyncDisposable {
  readonly url: string;
}

const maxBodyBytes = 67_108_864;
/** Bytes of all bodies without a response yet. */
const maxOpenBytes = 4 * maxBodyBytes;
/** Slower senders are disconnected. */
const timeouts = { headersTimeout: 10_000, requestTimeout: 120_000, connectionsCheckingInterval: 1_000 };
const maxConnections = 256;
/** Time for requests in progress to finish when the listener stops. */
const stopMs = 2_000;
/** Larger responses are not kept for repeated batches. */
const maxRememberedBytes = 65_536;
/** The platform's longest timeout. */
const maxForwardMs = 3_600_000;
/** Headers of the connection, which the client of the forwarded call sets itself. */
const hopHeaders = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "transfer-encoding",
]);

/** Opens a receiver that reports each request. @throws Error when the port cannot be opened */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { onSeen, exchange, delayMs } = options;
  const read = createBatchReader(options);
  const respond = createResponder(options.response);
  const bodies = createBodyReader();
  const server = createServer(timeouts, (request, response) => {
    const fault = faultOf(request);
    if (fault !== undefined) return refuse(response, fault);
    handle(request, response)
      .catch((error: unknown) =>
        error instanceof TooLargeError
          ? refuse(response, { status: 413, message: error.message })
          : response.destroy(),
      )
      .finally(() => bodies.forget(request));
  });
  server.maxConnections = maxConnections;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedMs = performance.now();
    const body = await bodies.read(request);
    const batch = read(request.headers, body);
    await sleep(delayMs);
    const given = exchange === undefined ? respond(batch) : await forward(exchange, request, body);
    response.writeHead(given.status, { "content-type": "application/json" }).end(given.text);
    const { method = "", url: path = "" } = request;
    const ms = Math.round(performance.now() - startedMs);
    onSeen({ time: new Date().toISOString(), method, path, bytes: body.length, ...batch, answer: given, ms });
  }

  server.listen(options.port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      const isClosed = once(server, "close");
      server.close();
      const timer = setTimeout(() => server.closeAllConnections(), stopMs);
      await isClosed;
      clearTimeout(timer);
    },
  };
}

/** Responds to a repeated batch as to the first one. */
function createResponder(configured: ConfiguredResponse): (batch: SeenBatch) => BatchResponse {
  const remembered = new LruCache<string, BatchResponse>(rememberedIds);
  return (batch) => {
    const given = configuredResponse(batch, configured);
    const { requestId, repeat } = batch;
    if (requestId === undefined || batch.refusal !== undefined) return given;
    const response = repeat === "same" ? (remembered.get(requestId) ?? given) : given;
    if (repeat === undefined && response.text.length <= maxRememberedBytes)
      remembered.set(requestId, response);
    return response;
  };
}

interface Fault {
  readonly status: number;
  readonly message: string;
}

/** Refuses calls from web pages, which could otherwise reach the receiver that requests are forwarded to. */
function faultOf({ method, headers }: IncomingMessage): Fault | undefined {
  const site = headers["sec-fetch-site"] ?? "none";
  if (headers.origin !== undefined || site !== "none") {
    return { status: 403, message: "calls from web pages are not accepted" };
  }
  if (method !== "POST") return { status: 405, message: `method ${method} is not accepted, valid is POST` };
  const isTooLarge = Number(headers["content-length"] ?? 0) > maxBodyBytes;
  return isTooLarge ? { status: 413, message: `body is larger than ${maxBodyBytes} bytes` } : undefined;
}

/** Refuses a request without reading the rest of its body. */
function refuse(response: ServerResponse, { status, message }: Fault): void {
  const headers = { "content-type": "application/json", connection: "close" };
  response.writeHead(status, status === 405 ? { ...headers, allow: "POST" } : headers);
  response.end(JSON.stringify({ return_code: 1, return_message: message }));
}

class TooLargeError extends Error {
  override readonly name = "TooLargeError";
}

/** Reads bodies, within a limit on the bytes of all open ones. */
function createBodyReader() {
  const open = new Map<IncomingMessage, number>();
  let openBytes = 0;
  return {
    async read(request: IncomingMessage): Promise<Buffer> {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        openBytes += chunk.length;
        open.set(request, bytes);
        if (bytes > maxBodyBytes) throw new TooLargeError(`body is larger than ${maxBodyBytes} bytes`);
        if (openBytes > maxOpenBytes)
          throw new TooLargeError(`bodies are larger than ${maxOpenBytes} bytes together`);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    },
    /** Releases the bytes of a finished request. */
    forget(request: IncomingMessage): void {
      openBytes -= open.get(request) ?? 0;
      open.delete(request);
    },
  };
}

async function forward(exchange: Exchange, request: IncomingMessage, body: Buffer): Promise<BatchResponse> {
  const headers = Object.entries(request.headers).filter(([name]) => !hopHeaders.has(name));
  const outcome = await exchange({
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    body,
    signal: AbortSignal.timeout(maxForwardMs),
  });
  if (outcome.kind === "response") return { status: outcome.status, text: outcome.text };
  const message = `not forwarded: ${outcome.message}`;
  return { status: 502, text: JSON.stringify({ return_code: 1, return_message: message }) };
}

/** The configured response to valid batches. */
interface ConfiguredResponse {
  /** Indexes to report as failed, counted from 1. They need not exist. */
  readonly fail: readonly number[];
  readonly returnCode: number;
  readonly status: number;
  readonly isEmpty: boolean;
}

/** Refuses batches that no receiver may accept, reports invalid elements, and otherwise responds as configured. */
function configuredResponse(
  batch: SeenBatch,
  { fail, returnCode, status, isEmpty }: ConfiguredResponse,
): BatchResponse {
  const { refusal, messages } = batch;
  if (refusal !== undefined) {
    const text = JSON.stringify({ return_code: 1, return_message: refusal.message });
    return { status: refusal.status, text };
  }
  if (isEmpty) return { status, text: "" };
  const failed = new Map(fail.map((index) => [index, "failed as configured"]));
  for (const { index, fault } of messages) if (fault !== undefined) failed.set(index, fault);
  const failList = [...failed].sort(([a], [b]) => a - b).map(([index, message]) => ({ index, message }));
  const returnMessage = returnCode === 0 ? "success" : "failed as configured";
  const data = { fail_list: failList };
  return {
    status,
    text: JSON.stringify({ return_code: returnCode, return_message: returnMessage, data }),
  };
}
