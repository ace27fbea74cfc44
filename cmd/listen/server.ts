import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Exchange } from "../../services/channel/exchange.ts";
import { answerOf, type ToldAnswer } from "./answer.ts";
import { type Answer, createBatchReader, rememberedIds, type SeenBatch, type SeenRequest } from "./batch.ts";
import { createRecent } from "./recent.ts";

export interface ListenerOptions {
  /** On loopback; 0 for any that is free. */
  readonly port: number;
  readonly secret: string | undefined;
  readonly headerName: string;
  readonly answer: ToldAnswer;
  readonly delayMs: number;
  /** Hands requests on; undefined: they are answered here. */
  readonly exchange: Exchange | undefined;
  readonly onSeen: (seen: SeenRequest) => void;
}

export interface Listener extends AsyncDisposable {
  readonly url: string;
}

const maxBodyBytes = 67_108_864;
/** Of all bodies that are not answered yet. */
const maxOpenBytes = 4 * maxBodyBytes;
/** Senders that are slower than this are cut off. */
const timeouts = { headersTimeout: 10_000, requestTimeout: 120_000, connectionsCheckingInterval: 1_000 };
const maxConnections = 256;
/** What is being answered when it is to stop may end within this. */
const stopMs = 2_000;
/** Larger answers to repeats are made again. */
const maxKeptAnswer = 65_536;
/** The platform's longest timeout. */
const maxForwardMs = 3_600_000;
/** Headers about the connection, which the client of the forwarded call makes itself. */
const hopHeaders = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "transfer-encoding",
]);

/** A receiver that shows what it is sent. @throws Error when the port cannot be had */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { onSeen, exchange, delayMs } = options;
  const read = createBatchReader(options);
  const answer = createAnswerer(options.answer);
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
    const given = exchange === undefined ? answer(batch) : await forward(exchange, request, body);
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

/** Answers a repeat as the first time. */
function createAnswerer(told: ToldAnswer): (batch: SeenBatch) => Answer {
  const kept = createRecent<Answer>(rememberedIds);
  return (batch) => {
    const given = answerOf(batch, told);
    const { requestId, repeat } = batch;
    if (requestId === undefined || batch.refusal !== undefined) return given;
    const answer = repeat === "same" ? (kept.get(requestId) ?? given) : given;
    if (repeat === undefined && answer.text.length <= maxKeptAnswer) kept.set(requestId, answer);
    return answer;
  };
}

interface Fault {
  readonly status: number;
  readonly message: string;
}

/** A page of a site could otherwise send what it likes through here to where calls are handed on. */
function faultOf({ method, headers }: IncomingMessage): Fault | undefined {
  const site = headers["sec-fetch-site"] ?? "none";
  if (headers.origin !== undefined || site !== "none") {
    return { status: 403, message: "calls of web pages are not taken" };
  }
  if (method !== "POST") return { status: 405, message: `method ${method} is not taken, valid is POST` };
  const isTooLarge = Number(headers["content-length"] ?? 0) > maxBodyBytes;
  return isTooLarge ? { status: 413, message: `body is larger than ${maxBodyBytes} bytes` } : undefined;
}

/** What is left of the body is not read. */
function refuse(response: ServerResponse, { status, message }: Fault): void {
  const headers = { "content-type": "application/json", connection: "close" };
  response.writeHead(status, status === 405 ? { ...headers, allow: "POST" } : headers);
  response.end(JSON.stringify({ return_code: 1, return_message: message }));
}

class TooLargeError extends Error {
  override readonly name = "TooLargeError";
}

/** Reads bodies, of which so much is in memory at most. */
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
    /** It is answered. */
    forget(request: IncomingMessage): void {
      openBytes -= open.get(request) ?? 0;
      open.delete(request);
    },
  };
}

async function forward(exchange: Exchange, request: IncomingMessage, body: Buffer): Promise<Answer> {
  const headers = Object.entries(request.headers).filter(([name]) => !hopHeaders.has(name));
  const outcome = await exchange({
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    body,
    signal: AbortSignal.timeout(maxForwardMs),
  });
  if (outcome.kind === "answer") return { status: outcome.status, text: outcome.text };
  const message = `not forwarded: ${outcome.message}`;
  return { status: 502, text: JSON.stringify({ return_code: 1, return_message: message }) };
}
