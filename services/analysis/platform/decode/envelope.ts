import { parseExactJson } from "../../../../base/json/exact-numbers.ts";
import { withoutByteOrderMark } from "../../../../base/text/byte-order-mark.ts";
import { AnalysisRefusal, returnCodes } from "../../refusal/refusal.ts";
import type { Redactor } from "../upstream/redact.ts";
import type { UpstreamResponse } from "../upstream/upstream.ts";
import { quoteBytes, refuseReceived } from "./unexpected-response.ts";

/** An answer of return code 0. */
export interface Envelope {
  /** As they came, but for the token. */
  readonly bytes: Uint8Array;
  readonly message: string;
  /** Whole numbers beyond 2^53 are texts. */
  readonly data: unknown;
}

/**
 * Reads a JSON answer to its end. @throws AnalysisRefusal with the return code
 * of the answer where it is not 0, UNAVAILABLE for what is not JSON, and
 * INTERNAL for JSON of another form
 */
export async function readEnvelope(
  answer: UpstreamResponse,
  maxBytes: number,
  redactor: Redactor,
): Promise<Envelope> {
  try {
    return check(answer, await readAll(answer, maxBytes), redactor);
  } finally {
    answer.release();
  }
}

function check(answer: UpstreamResponse, received: Uint8Array, redactor: Redactor): Envelope {
  // First of all, so that nothing made of it can hold the token.
  const bytes = redactor.bytes(withoutByteOrderMark(received));
  const json = parse(bytes);
  const code = returnCodeOf(json);
  if (code !== undefined && code !== 0) throw refusalOf(code, json as object, redactor);
  // Also JSON of an HTTP error, and whatever is not JSON: a page, a text, or the beginning of an answer.
  if (answer.status !== 200 || json === undefined) throw refuseReceived(answer, bytes, redactor);
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

async function readAll(answer: UpstreamResponse, maxBytes: number): Promise<Buffer> {
  const { contentLength = 0, body } = answer;
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

/** Undefined when it is not JSON in UTF-8. */
function parse(bytes: Uint8Array): unknown {
  try {
    return parseLossless(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

const integer = /^-?\d+$/;

/** Parses JSON. Integers beyond 2^53 and numbers that no double holds become strings, as they were written. */
export function parseLossless(text: string): unknown {
  return parseExactJson(text, (digits) => {
    const value = Number(digits);
    return integer.test(digits) || !Number.isFinite(value) ? digits : value;
  });
}

/** Undefined when there is none; a text of digits is taken for a number. */
export function returnCodeOf(json: unknown): number | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
  const { return_code: given } = json as { return_code?: unknown };
  const code = typeof given === "string" && /^-?\d{1,9}$/.test(given) ? Number(given) : given;
  return Number.isInteger(code) ? (code as number) : undefined;
}

/** The platform's own refusal, passed on. */
export function refusalOf(code: number, json: object, redactor: Redactor): AnalysisRefusal {
  const { return_message: message } = json as { return_message?: unknown };
  const text = typeof message === "string" && message !== "" ? message : `return_code ${code}`;
  return new AnalysisRefusal(code, redactor.text(text));
}
