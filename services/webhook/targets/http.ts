import http from "node:http";
import https from "node:https";
import { type HttpAnswer, outcomeOf } from "./http-answer.ts";
import type { Outbound } from "./outbound.ts";
import { messageId, signHeaders } from "./standard-webhooks.ts";
import { describeError, downOutcome, type HandedBatch, type Target, type TargetOutcome } from "./target.ts";
import { outcomesOf, type WriteMessage, writeAll } from "./write.ts";

export interface HttpTargetOptions {
  /** `http:` or `https:` */
  readonly url: string;
  readonly method: "POST" | "PUT";
  readonly headers: Readonly<Record<string, string>>;
  /** message: one request for each message. batch: one with a JSON array. */
  readonly per: "message" | "batch";
  /** Messages of one request at most, for `per: "batch"`. */
  readonly maxMessages: number;
  readonly write: WriteMessage;
  /** Sign with each of these; empty: no signature. */
  readonly signingKeys: readonly Uint8Array[];
  /** Connections kept at most. */
  readonly maxConnections: number;
  /** Of the answer, more is not read. */
  readonly maxAnswerBytes: number;
  readonly tls: https.AgentOptions;
  readonly outbound: Outbound;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };
/** Idle connections are kept for this long, or shorter when the server says so. */
const keepAliveMs = 30_000;

/** Messages as JSON over HTTP/1.1 with kept connections; never follows redirects. */
export function createHttpTarget(options: HttpTargetOptions): Target {
  const { per, write } = options;
  const url = new URL(options.url);
  const settings = { keepAlive: true, maxSockets: options.maxConnections, timeout: keepAliveMs };
  const agent =
    url.protocol === "https:" ? new https.Agent({ ...settings, ...options.tls }) : new http.Agent(settings);
  return {
    maxMessages: per === "message" ? 1 : options.maxMessages,
    async deliver(batch, signal) {
      const texts = writeAll(batch, write);
      const good = texts.filter((text) => typeof text === "string");
      if (good.length === 0) return outcomesOf(texts, { kind: "done" });
      const json = Buffer.from(per === "batch" ? `[${good.join(",")}]` : good[0]!);
      const elements = batch.elements.filter((_, at) => typeof texts[at] === "string");
      return outcomesOf(texts, await send(json, { ...batch, elements }, signal));
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
    },
  };

  async function send(json: Buffer, batch: HandedBatch, signal: AbortSignal): Promise<TargetOutcome> {
    const { signingKeys, now, headers } = options;
    const id = messageId(batch);
    const signature =
      signingKeys.length === 0 ? { "webhook-id": id } : signHeaders(signingKeys, id, now(), json);
    const all = { "content-type": "application/json", ...lowerCase(headers), ...signature };
    try {
      return outcomeOf(await exchange(all, json, signal), now());
    } catch (error) {
      return downOutcome(describeError(error));
    }
  }

  function exchange(
    headers: http.OutgoingHttpHeaders,
    json: Buffer,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    const port = Number(url.port) || defaultPorts[url.protocol]!;
    // Brackets are for URLs only.
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const request = (url.protocol === "https:" ? https : http).request({
      ...options.outbound.connectOptions(host, port),
      ...{ agent, signal, method: options.method, path: `${url.pathname}${url.search}` },
      headers: { ...headers, "content-length": json.length },
    });
    request.on("error", reject);
    request.on("response", (response) => {
      readAnswer(response, options.maxAnswerBytes).then(resolve, reject);
    });
    request.end(json);
    return promise;
  }
}

/** Reads the beginning; the connection is given up when there is more than the limit. */
function readAnswer(response: http.IncomingMessage, maxBytes: number): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const { statusCode: status = 0, headers } = response;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = (): void => {
    const text = Buffer.concat(chunks).subarray(0, maxBytes).toString("utf8");
    resolve({ status, headers, text });
  };
  // Events, since iterating costs a fifth more of the whole request.
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= maxBytes) return;
    end();
    response.destroy();
  });
  response.on("end", end);
  response.on("error", reject);
  return promise;
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
