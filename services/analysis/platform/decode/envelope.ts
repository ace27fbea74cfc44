import { parseExactJson } from "../../../../base/json/exact-numbers.ts";
import { withoutByteOrderMark } from "../../../../base/text/byte-order-mark.ts";
import { AnalysisRefusal, returnCodes } from "../../refusal/refusal.ts";
import type { Redactor } from "../upstream/redact.ts";
import type { UpstreamResponse } from "../upstream/upstream.ts";
import { quoteBytes, refuseReceived } from "./unexpected-response.ts";

/** A response with return code 0. */
export interface Envelope {
  /** The bytes as they arrived, without the token. */
  readonly bytes: Uint8Array;
  readonly message: string;
  /** The data. Integers beyond 2^53 are strings. */
  readonly data: unknown;
}

/**
 * Reads a JSON response to its end.
 * @throws AnalysisRefusal with the return code of the response if it is not 0, UNAVAILABLE if the response is not JSON,
 * and INTERNAL for JSON of another form
 */
export async function readEnvelope(
  response: UpstreamResponse,
  maxBytes: number,
  redactor: Redactor,
): Promise<Envelope> {
  try {
    return check(response, await readAll(response, maxBytes), redactor);
  } finally {
    response.release();
  }
}

function check(response: UpstreamResponse, received: Uint8Array, redactor: Redactor): Envelope {
  // The token is removed first, so that nothing made from the bytes can contain it.
  const bytes = redactor.bytes(withoutByteOrderMark(received));
  const json = parse(bytes);
  const code = returnCodeOf(json);
  if (code !== undefined && code !== 0) throw refusalOf(code, json as object, redactor);
  // This includes the JSON of an HTTP error and whatever is not JSON: a page, a text, or the beginning of a response.
  if (response.status !== 200 || json === undefined) throw refuseReceived(response, bytes, redactor);
  if (code === undefined) {
    const message = `the platform's response has no return_code: ${quoteBytes(bytes, redactor)}`;
    throw new AnalysisRefusal(returnCodes.internal, message);
  }
  const { data, return_message: message } = json as { data?: unknown; return_message?: unknown };
  return {
    bytes,
    message: typeof message === "string" ? message : "success",
    data,
  };
}

async function readAll(response: UpstreamResponse, maxBytes: number): Promise<Buffer> {
  const { contentLength = 0, body } = response;
  const pieces: Uint8Array[] = [];
  let length = contentLength;
  if (length <= maxBytes) {
    length = 0;
    for await (const piece of body) {
      pieces.push(piece);
      length += piece.length;
      if (length > maxBytes) break;
    }
  }
  if (length <= maxBytes) return Buffer.concat(pieces);
  const message = `the platform's response is larger than the limit of ${maxBytes} bytes`;
  throw new AnalysisRefusal(returnCodes.internal, message);
}

/** Returns undefined if the bytes are not JSON in UTF-8. */
function parse(bytes: Uint8Array): unknown {
  try {
    return parseLossless(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

const integer = /^-?\d+$/;

/** Parses JSON. Integers beyond 2^53 and numbers that do not fit into a double become strings, as they were written. */
export function parseLossless(text: string): unknown {
  return parseExactJson(text, (digits) => {
    const value = Number(digits);
    return integer.test(digits) || !Number.isFinite(value) ? digits : value;
  });
}

/** Returns the return code, which may be a string of digits; undefined if there is none. */
export function returnCodeOf(json: unknown): number | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
  const { return_code: given } = json as { return_code?: unknown };
  const code = typeof given === "string" && /^-?\d{1,9}$/.test(given) ? Number(given) : given;
  return Number.isInteger(code) ? (code as number) : undefined;
}

/** Returns a refusal with the return code and message of the platform. */
export function refusalOf(code: number, json: object, redactor: Redactor): AnalysisRefusal {
  const { return_message: message } = json as { return_message?: unknown };
  const text = typeof message === "string" && message !== "" ? message : `return_code ${code}`;
  return new AnalysisRefusal(code, redactor.text(text));
}
