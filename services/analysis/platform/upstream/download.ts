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
  answer: UpstreamResponse,
  { unmarkedEnd }: Pick<PlatformConfig, "unmarkedEnd">,
  redactor: Redactor,
): AsyncGenerator<Uint8Array> {
  await refuseBroken(answer, redactor);
  const pieces = answer.body[Symbol.asyncIterator]();
  const { begun, isEnded } = await readStart(answer, pieces, redactor);
  refuseUnmarked(answer, unmarkedEnd, redactor);
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* begun;
    if (!isEnded) yield* { [Symbol.asyncIterator]: () => pieces };
  }
  yield* redactor.stream(all());
}

/** Refuses responses that neither a download nor a forwarded query accepts. */
export async function refuseBroken(answer: UpstreamResponse, redactor: Redactor): Promise<void> {
  const { status, mediaType } = answer;
  const isFine = status === 200 && !pageTypes.has(mediaType);
  if (isFine) return;
  const beginning = await readBeginning(answer);
  const code = returnCodeOf(parse(beginning));
  if (code !== undefined && code !== 0) throw refusalOf(code, parse(beginning) as object, redactor);
  throw refuseReceived(answer, beginning, redactor);
}

export function refuseUnmarked(
  answer: UpstreamResponse,
  unmarkedEnd: PlatformConfig["unmarkedEnd"],
  redactor: Redactor,
): void {
  if (answer.isEndMarked || unmarkedEnd === "accept") return;
  const received = describeReceived(answer, Buffer.alloc(0), redactor).replace(/, an empty body$/, "");
  const message = `the platform's download has neither a length nor an end mark, so a cut could not be detected: ${received}`;
  throw new AnalysisRefusal(returnCodes.unavailable, message);
}

/** Reads on while the response may be an error, and throws if it is one. */
async function readStart(
  answer: UpstreamResponse,
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
    if (!mayBeError(answer, begun) || length > maxErrorBytes) return { begun, isEnded: false };
  }
  if (!mayBeError(answer, begun)) return { begun, isEnded: true };
  const bytes = Buffer.concat(begun);
  const json = parse(bytes);
  const code = returnCodeOf(json);
  if (code !== undefined && code !== 0) throw refusalOf(code, json as object, redactor);
  const isFile = !jsonTypes.has(answer.mediaType) && code === undefined && bytes.length > 0;
  if (isFile && !isPage(bytes)) return { begun, isEnded: true };
  throw refuseReceived(answer, bytes, redactor);
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
  answer: UpstreamResponse,
  { unmarkedEnd }: Pick<PlatformConfig, "unmarkedEnd">,
  redactor: Redactor,
): AsyncGenerator<HttpBody> {
  await refuseBroken(answer, redactor);
  refuseUnmarked(answer, unmarkedEnd, redactor);
  let contentType = answer.contentType || "application/octet-stream";
  for await (const data of redactor.stream(answer.body)) {
    yield create(HttpBodySchema, { contentType, data });
    contentType = "";
  }
  if (contentType !== "") yield create(HttpBodySchema, { contentType });
}
