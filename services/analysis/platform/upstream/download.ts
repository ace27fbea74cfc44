import { create } from "@bufbuild/protobuf";
import { withoutByteOrderMark } from "../../../../base/text/byte-order-mark.ts";
import { type HttpBody, HttpBodySchema } from "../../../../gen/google/api/httpbody_pb.ts";
import { AnalysisRefusal, returnCodes } from "../../refusal/refusal.ts";
import type { PlatformConfig } from "../config.ts";
import { refusalOf, returnCodeOf } from "../decode/envelope.ts";
import { describeReceived, readBeginning, refuseReceived } from "../decode/unexpected-response.ts";
import type { Redactor } from "./redact.ts";
import type { UpstreamResponse } from "./upstream.ts";

/** The most bytes of an error response; a longer response is a file. */
const maxErrorBytes = 65_536;
const jsonTypes: ReadonlySet<string> = new Set(["application/json", "text/json"]);
const pageTypes: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"]);

/**
 * Returns the pieces of a file, without the token, no faster than they are taken. A response that is not a file is
 * refused before the first piece. A truncated file throws at its end.
 */
export async function* readDownload(
  response: UpstreamResponse,
  { unmarkedEnd }: Pick<PlatformConfig, "unmarkedEnd">,
  redactor: Redactor,
): AsyncGenerator<Uint8Array> {
  await refuseBroken(response, redactor);
  const pieces = response.body[Symbol.asyncIterator]();
  const { begun, isEnded } = await readStart(response, pieces, redactor);
  refuseUnmarked(response, unmarkedEnd, redactor);
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* begun;
    if (!isEnded) yield* { [Symbol.asyncIterator]: () => pieces };
  }
  yield* redactor.stream(all());
}

/** Refuses responses that neither a download nor a forwarded query accepts. */
async function refuseBroken(response: UpstreamResponse, redactor: Redactor): Promise<void> {
  const { status, mediaType } = response;
  const isAccepted = status === 200 && !pageTypes.has(mediaType);
  if (isAccepted) return;
  const beginning = await readBeginning(response);
  const code = returnCodeOf(parse(beginning));
  if (code !== undefined && code !== 0) throw refusalOf(code, parse(beginning) as object, redactor);
  throw refuseReceived(response, beginning, redactor);
}

function refuseUnmarked(
  response: UpstreamResponse,
  unmarkedEnd: PlatformConfig["unmarkedEnd"],
  redactor: Redactor,
): void {
  if (response.isEndMarked || unmarkedEnd === "accept") return;
  const received = describeReceived(response, Buffer.alloc(0), redactor).replace(/, an empty body$/, "");
  const message = `the platform's download has neither a length nor an end mark, so a cut could not be detected: ${received}`;
  throw new AnalysisRefusal(returnCodes.unavailable, message);
}

/** Reads on while the response may be an error, and throws if it is one. */
async function readStart(
  response: UpstreamResponse,
  pieces: AsyncIterator<Uint8Array>,
  redactor: Redactor,
): Promise<{ readonly begun: readonly Uint8Array[]; readonly isEnded: boolean }> {
  const begun: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    begun.push(value);
    length += value.length;
    if (!mayBeError(response, begun) || length > maxErrorBytes) return { begun, isEnded: false };
  }
  if (!mayBeError(response, begun)) return { begun, isEnded: true };
  const bytes = Buffer.concat(begun);
  const json = parse(bytes);
  const code = returnCodeOf(json);
  if (code !== undefined && code !== 0) throw refusalOf(code, json as object, redactor);
  const isFile = !jsonTypes.has(response.mediaType) && code === undefined && bytes.length > 0;
  if (isFile && !isPage(bytes)) return { begun, isEnded: true };
  throw refuseReceived(response, bytes, redactor);
}

/** Whether the response may be an error. CSV of both engines begins with a name or a quote. */
function mayBeError({ mediaType }: UpstreamResponse, begun: readonly Uint8Array[]): boolean {
  if (jsonTypes.has(mediaType)) return true;
  const text = Buffer.concat(begun).subarray(0, 64).toString("latin1");
  return /^(?:\u00ef\u00bb\u00bf)?\s*(?:$|\{|<)/.test(text);
}

function isPage(bytes: Buffer): boolean {
  const beginning = Buffer.from(withoutByteOrderMark(bytes)).subarray(0, 256).toString("latin1");
  return /^\s*<(?:!doctype|html|head|body|\?xml)/i.test(beginning);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(withoutByteOrderMark(bytes)).toString("utf8"));
  } catch {
    return undefined;
  }
}

/**
 * Returns a response of the platform without the token and otherwise unchanged. The first piece has the content type.
 */
export async function* forwardBody(
  response: UpstreamResponse,
  { unmarkedEnd }: Pick<PlatformConfig, "unmarkedEnd">,
  redactor: Redactor,
): AsyncGenerator<HttpBody> {
  await refuseBroken(response, redactor);
  refuseUnmarked(response, unmarkedEnd, redactor);
  let contentType = response.contentType || "application/octet-stream";
  for await (const data of redactor.stream(response.body)) {
    yield create(HttpBodySchema, { contentType, data });
    contentType = "";
  }
  if (contentType !== "") yield create(HttpBodySchema, { contentType });
}
