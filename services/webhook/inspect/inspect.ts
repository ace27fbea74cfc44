import { createSecretKey, hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { LruCache } from "../../../base/cache/lru-cache.ts";
import { explainMismatch } from "../explain/explain.ts";
import { checkElements } from "../receive/elements.ts";
import { scanBatch } from "../receive/scan.ts";
import { verifySignature } from "../receive/signature.ts";

export interface SeenMessage {
  /** Counted from 1. */
  readonly index: number;
  readonly pushId: string;
  readonly params: unknown;
  readonly customParams: unknown;
  readonly receipt: unknown;
  /** Why the message is invalid. */
  readonly fault?: string;
}

/** A request before the response. */
export interface SeenBatch {
  readonly contentType: string;
  /** Whether the signature matches, in words, and why not. */
  readonly signature: string;
  readonly requestId?: string;
  /** Set when the request id was used before, by the same body or another one. */
  readonly repeat?: "same" | "other";
  readonly messages: readonly SeenMessage[];
  readonly refusal?: { readonly status: number; readonly message: string };
}

export interface BatchResponse {
  readonly status: number;
  readonly text: string;
}

/** A request with its response. */
export interface SeenRequest extends SeenBatch {
  /** Time of the response, in UTC. */
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly bytes: number;
  /** The response. `engage listen --json` prints it under this name. */
  readonly answer: BatchResponse;
  readonly ms: number;
}

interface ReaderOptions {
  readonly secret: string | undefined;
  readonly headerName: string;
}

/** A platform repeats a batch within an hour. An id with its digest takes about 200 bytes. */
export const rememberedIds = 100_000;

const limits = { maxElements: 100_000, maxDepth: 64 };

/** Creates a reader of requests that remembers the latest request ids. */
export function createBatchReader(
  options: ReaderOptions,
): (headers: IncomingHttpHeaders, body: Buffer) => SeenBatch {
  const bodies = new LruCache<string, string>(rememberedIds);
  return (headers, body) => {
    const { description: signature, refusal } = verify(options, headers, body);
    const contentType = headers["content-type"] ?? "";
    const seen = { contentType, signature };
    const read = readBatch(body);
    // The messages may show where the request comes from.
    if (refusal !== undefined)
      return { ...seen, messages: read.messages, refusal: { status: 401, message: refusal } };
    if (read.fault !== undefined)
      return { ...seen, messages: [], refusal: { status: 400, message: read.fault } };
    const { requestId, messages } = read;
    if (requestId === undefined) return { ...seen, messages };
    const digest = hash("sha256", body);
    const known = bodies.get(requestId);
    if (known === undefined) bodies.set(requestId, digest);
    if (known === undefined) return { ...seen, messages, requestId };
    if (known === digest) return { ...seen, messages, requestId, repeat: "same" };
    const message = `ops_request_id ${JSON.stringify(requestId)} was used before by another body`;
    return { ...seen, messages, requestId, repeat: "other", refusal: { status: 409, message } };
  };
}

function verify(
  { secret, headerName }: ReaderOptions,
  headers: IncomingHttpHeaders,
  body: Buffer,
): { readonly description: string; readonly refusal?: string } {
  const value = headers[headerName.toLowerCase()];
  const given = value === undefined ? [] : [String(value)];
  if (secret === undefined) return { description: given.length === 0 ? "none" : "not verified" };
  const known = { channel: "listen", key: createSecretKey(Buffer.from(secret)), expiresMs: undefined };
  const nowMs = Date.now();
  const { kind } = verifySignature(body, given, [known], nowMs);
  if (kind === "match") return { description: "matches" };
  if (kind === "missing")
    return { description: `missing, expected in ${headerName}`, refusal: "signature is missing" };
  // The cause is printed, not sent to the caller.
  const cause = explainMismatch({ channel: known.channel, body, given, nowMs }, [known]);
  return { description: `mismatch: ${cause}`, refusal: "signature mismatch" };
}

interface Element {
  readonly push_id?: unknown;
  readonly params?: unknown;
  readonly custom_params?: unknown;
  readonly "#ops_receipt_properties"?: unknown;
}

interface ReadBatch {
  readonly messages: readonly SeenMessage[];
  readonly requestId?: string | undefined;
  /** Why the body is invalid. */
  readonly fault?: string;
}

function readBatch(body: Buffer): ReadBatch {
  try {
    return readMessages(body);
  } catch (error) {
    return { messages: [], fault: error instanceof Error ? error.message : String(error) };
  }
}

/** @throws Error that says why the body is invalid */
function readMessages(body: Buffer): ReadBatch {
  const { failures, requestId } = checkElements(body, scanBatch(body, limits));
  const faults = new Map(failures.map(({ index, message }) => [index, message]));
  const elements = JSON.parse(body.toString("utf8")) as (Element | null)[];
  const messages = elements.map((element, at): SeenMessage => {
    const fault = faults.get(at);
    return {
      index: at + 1,
      pushId: String(element?.push_id ?? ""),
      params: element?.params,
      customParams: element?.custom_params,
      receipt: element?.["#ops_receipt_properties"],
      ...(fault !== undefined && { fault }),
    };
  });
  return { requestId: requestId ?? undefined, messages };
}
