import { isUtf8 } from "node:buffer";
import { JsonFault } from "./fault.ts";

const BOM = [0xef, 0xbb, 0xbf];

/** Throws JsonFault for an empty text, a byte order mark and the first byte that is not UTF-8. */
export function requireUtf8(bytes: Uint8Array): void {
  if (bytes.length === 0) throw new JsonFault("text is empty", bytes, 0);
  if (!isUtf8(bytes)) throw new JsonFault("text is not UTF-8", bytes, findInvalid(bytes));
  if (BOM.every((byte, at) => bytes[at] === byte)) {
    throw new JsonFault("text begins with a byte order mark", bytes, 0);
  }
}

/** Decoding puts U+FFFD for what is invalid, so the texts part there. */
function findInvalid(bytes: Uint8Array): number {
  const repaired = Buffer.from(asBuffer(bytes).toString("utf8"));
  return bytes.findIndex((byte, at) => byte !== repaired[at]);
}

/** The same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The text of a JSON string without its quotes. `escaped`: whether it holds a backslash. */
export function decodeString(bytes: Buffer, start: number, end: number, escaped: boolean): string {
  return escaped
    ? JSON.parse(bytes.toString("utf8", start - 1, end + 1))
    : bytes.toString("utf8", start, end);
}
