import type https from "node:https";
import { createHttpClient } from "../../../base/net/http-client.ts";
import type { Outbound } from "../../../base/net/outbound.ts";
import { isSecretHeader } from "../../../base/net/secret-header.ts";
import { compileMask } from "../../../base/text/mask-secrets.ts";
import { describeError } from "../../../base/text/system-error.ts";
import { httpPlaceOf, inHttpSpan } from "../../../base/trace/http-span.ts";
import type { TemplateInput } from "../mapping/template.ts";
import { outcomeOf } from "./http-outcome.ts";
import { messageId, signHeaders } from "./standard-webhooks.ts";
import { downOutcome, type HandedBatch, type Target, type TargetOutcome } from "./target.ts";
import { outcomesOf, type WriteMessage, writeAll, writeOrFault } from "./write.ts";

export interface HttpTargetOptions {
  /** `http:` or `https:` */
  readonly url: string;
  readonly method: "POST" | "PUT";
  /** Path and query of each request; undefined: those of `url`. */
  readonly path?: ((input: TemplateInput) => string) | undefined;
  /** Values, or functions that write them for each request. */
  readonly headers: Readonly<Record<string, string | ((input: TemplateInput) => string)>>;
  /** message: one request for each message. batch: one with a JSON array. */
  readonly per: "message" | "batch";
  /** Messages of one request, for `per: "batch"`. */
  readonly maxMessages: number;
  readonly write: WriteMessage;
  /** Keys of the signatures; empty: no signature. */
  readonly signingKeys: readonly Uint8Array[];
  /** Connections that are kept at most. */
  readonly maxConnections: number;
  /** Bytes of a response that are read at most. */
  readonly maxAnswerBytes: number;
  readonly tls: https.AgentOptions;
  readonly outbound: Outbound;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Creates a target that sends messages as JSON over HTTP/1.1 with kept connections. It does not follow redirects. */
export function createHttpTarget(options: HttpTargetOptions): Target {
  const { per, write, path } = options;
  const url = originOf(options);
  const client = createHttpClient({ ...options, maxResponseBytes: options.maxAnswerBytes, url });
  const server = httpPlaceOf(options.method, url);
  const fixed: Record<string, string> = { "content-type": "application/json" };
  const written: (readonly [string, (input: TemplateInput) => string])[] = [];
  for (const [name, value] of Object.entries(options.headers)) {
    if (typeof value === "string") fixed[name.toLowerCase()] = value;
    else written.push([name.toLowerCase(), value]);
  }
  const mask = compileMask(secretsOf(options.headers));
  return {
    maxMessages: per === "message" ? 1 : options.maxMessages,
    async deliver(batch, signal, answered) {
      const texts = writeAll(batch, write);
      const good = texts.filter((text) => typeof text === "string");
      if (good.length === 0) return outcomesOf(texts, { kind: "done" });
      const json = Buffer.from(per === "batch" ? `[${good.join(",")}]` : good[0]!);
      const elements = batch.elements.filter((_, at) => typeof texts[at] === "string");
      return outcomesOf(texts, await send(json, { ...batch, elements }, signal, answered));
    },
    async [Symbol.asyncDispose]() {
      client.close();
    },
  };

  function placeOf(input: TemplateInput): { readonly path?: string; readonly headers: object } {
    const headers =
      written.length === 0 ? {} : Object.fromEntries(written.map(([name, write]) => [name, write(input)]));
    return path === undefined ? { headers } : { path: path(input), headers };
  }

  async function send(
    json: Buffer,
    batch: HandedBatch,
    signal: AbortSignal,
    answered: Parameters<Target["deliver"]>[2],
  ): Promise<TargetOutcome> {
    const { signingKeys, now } = options;
    // With several messages, path and headers are the same for all.
    const place = writeOrFault(() => placeOf({ batch, element: batch.elements[0]! }));
    if ("kind" in place) return place;
    const id = messageId(batch);
    const signature =
      signingKeys.length === 0 ? { "webhook-id": id } : signHeaders(signingKeys, id, now(), json);
    const all = { ...fixed, ...place.headers, ...signature };
    try {
      // Headers of the configuration win over those that pass the trace on.
      const response = await inHttpSpan(batch.trace, server, (passed) =>
        client.exchange({ ...passed, ...all }, json, signal, place.path),
      );
      const text = mask(response.text);
      answered?.({ status: response.status, text });
      const { location, ...others } = response.headers;
      const headers = location === undefined ? others : { ...others, location: mask(location) };
      return outcomeOf({ ...response, headers, text }, now());
    } catch (error) {
      return downOutcome(describeError(error));
    }
  }
}

/** The minimum length of other values that are masked: few are secrets, and ordinary texts contain short ones. */
const minMaskedLength = 8;

/** Returns the fixed values of headers that may be secrets. */
function secretsOf(headers: HttpTargetOptions["headers"]): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (typeof value !== "string") return [];
    return isSecretHeader(name) || value.length >= minMaskedLength ? [value] : [];
  });
}

/** Returns the URL; without its path if that is written for each request. */
function originOf({ url, path }: HttpTargetOptions): string {
  return path === undefined ? url : (/^[^/?#]*\/\/[^/?#]*/.exec(url)?.[0] ?? url);
}
