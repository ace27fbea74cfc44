import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Exchange } from "../services/channel/exchange.ts";
import { answerOf, type ToldAnswer } from "./listen-answer.ts";
import {
  type Answer,
  createBatchReader,
  rememberedIds,
  type SeenBatch,
  type SeenRequest,
} from "./listen-batch.ts";
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
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedMs = performance.now();
    const body = await readBody(request);
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
      server.closeAllConnections();
      await isClosed;
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
    if (repeat === undefined) kept.set(requestId, answer);
    return answer;
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new Error(`body is larger than ${maxBodyBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
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
