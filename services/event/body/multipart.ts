import { BodyFault } from "../ingest/body-fault.ts";
import type { Fields } from "./form.ts";

const maxParts = 1_000;
const maxHeaderBytes = 8_192;
const endOfHeaders = "\r\n\r\n";
const malformed = "Data format error, not multipart form data";

/** The boundary that a content type names; undefined for other types. */
export function boundaryOf(contentType: string): string | undefined {
  const match =
    /^\s*multipart\/form-data\s*;(?:[^"]|"[^"]*")*?\bboundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(
      contentType.slice(0, 1_000),
    );
  return match?.[1] ?? match?.[2];
}

/**
 * Reads `multipart/form-data`, as `sendBeacon` sends forms: the first part of
 * each name. Linear in the length of the body.
 * https://www.rfc-editor.org/rfc/rfc7578
 * @throws BodyFault when it is malformed
 */
export function readMultipart(bytes: Buffer, boundary: string): Fields {
  const fields = new Map<string, Buffer>();
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first delimiter may stand at the very beginning, without a line end before it.
  const isFirst = bytes.indexOf(delimiter.subarray(2)) === 0;
  let at = isFirst ? delimiter.length - 2 : afterDelimiter(bytes, delimiter, 0);
  for (let parts = 0; !isLast(bytes, at); parts++) {
    if (parts === maxParts) throw new BodyFault(`Data format error, more than ${maxParts} parameters`);
    const start = endOfLine(bytes, at);
    // A part without headers begins with the empty line that ends them.
    const headersEnd = bytes.subarray(start - 2, start + maxHeaderBytes).indexOf(endOfHeaders);
    if (headersEnd === -1) throw new BodyFault(malformed);
    const valueStart = start - 2 + headersEnd + endOfHeaders.length;
    const next = afterDelimiter(bytes, delimiter, valueStart - 2);
    const name = nameOf(bytes.toString("utf8", start, valueStart));
    if (name !== undefined && !fields.has(name)) {
      fields.set(name, bytes.subarray(valueStart, Math.max(valueStart, next - delimiter.length)));
    }
    at = next;
  }
  return fields;
}

function afterDelimiter(bytes: Buffer, delimiter: Buffer, from: number): number {
  const found = bytes.indexOf(delimiter, from);
  if (found === -1) throw new BodyFault(malformed);
  return found + delimiter.length;
}

function isLast(bytes: Buffer, at: number): boolean {
  return bytes.toString("latin1", at, at + 2) === "--";
}

/** Returns the end of a delimiter's line, which may contain spaces after the delimiter. */
function endOfLine(bytes: Buffer, at: number): number {
  const end = bytes.subarray(at, at + maxHeaderBytes).indexOf("\r\n");
  if (end === -1 || bytes.toString("latin1", at, at + end).trim() !== "") throw new BodyFault(malformed);
  return at + end + 2;
}

function nameOf(headers: string): string | undefined {
  const match =
    /^content-disposition:\s*form-data\b(?:[^"\r\n]|"[^"\r\n]*")*?;\s*name=(?:"([^"\r\n]*)"|([^\s;"]+))/im.exec(
      headers,
    );
  return match?.[1] ?? match?.[2];
}
