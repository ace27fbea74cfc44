import type https from "node:https";
import { createHttpClient } from "../../../base/net/http-client.ts";
import type { Outbound } from "../../../base/net/outbound.ts";
import { outcomeOf } from "./http-answer.ts";
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

/** Messages as JSON over HTTP/1.1 with kept connections; never follows redirects. */
export function createHttpTarget(options: HttpTargetOptions): Target {
  const { per, write } = options;
  const client = createHttpClient(options);
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
      client.close();
    },
  };

  async function send(json: Buffer, batch: HandedBatch, signal: AbortSignal): Promise<TargetOutcome> {
    const { signingKeys, now, headers } = options;
    const id = messageId(batch);
    const signature =
      signingKeys.length === 0 ? { "webhook-id": id } : signHeaders(signingKeys, id, now(), json);
    const all = { "content-type": "application/json", ...lowerCase(headers), ...signature };
    try {
      return outcomeOf(await client.exchange(all, json, signal), now());
    } catch (error) {
      return downOutcome(describeError(error));
    }
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
