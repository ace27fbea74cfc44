import { quoteText } from "../../../../base/text/quote.ts";
import { AnalysisRefusal, returnCodes } from "../../refusal/refusal.ts";
import type { Redactor } from "../upstream/redact.ts";
import type { UpstreamResponse } from "../upstream/upstream.ts";

/** The number of bytes that show what kind of page it is. */
const beginningBytes = 2_048;

/** Describes in a few words what was received instead of a response of the platform, without the token. */
export function describeReceived(
  response: UpstreamResponse,
  beginning: Uint8Array,
  redactor: Redactor,
): string {
  const type = response.contentType === "" ? "without a content type" : response.contentType;
  return redactor.text(`HTTP ${response.status} ${type}, ${quoteBytes(beginning, redactor)}`);
}

/** Quotes the beginning of a body on one line. */
export function quoteBytes(bytes: Uint8Array, redactor: Redactor): string {
  if (bytes.length === 0) return "an empty body";
  const text = redactor
    .text(Buffer.from(redactor.bytes(bytes)).toString("utf8"))
    .replace(/\s+/g, " ")
    .trim();
  return quoteText(text);
}

/** Reads the beginning of a body and discards the rest. */
export async function readBeginning(response: UpstreamResponse): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of response.body) {
      pieces.push(piece);
      length += piece.length;
      if (length >= beginningBytes) break;
    }
  } catch {
    // The bytes received so far are quoted.
  }
  return Buffer.concat(pieces).subarray(0, beginningBytes);
}

/** Returns the refusal for a response that is not the platform's own: an error page, a redirect, a proxy's refusal. */
export function refuseReceived(
  response: UpstreamResponse,
  beginning: Uint8Array,
  redactor: Redactor,
): AnalysisRefusal {
  // Other statuses come from a server that works.
  if (response.status >= 500 || response.status === 200) response.markFailed();
  const code = response.status === 429 ? returnCodes.busy : returnCodes.unavailable;
  const received = describeReceived(response, beginning, redactor);
  return new AnalysisRefusal(code, `the platform sent an invalid response: ${received}`);
}
