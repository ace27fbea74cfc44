import { isAscii, isUtf8 } from "node:buffer";
import { startOfCharacter } from "../text/cut.ts";
import { JsonFault } from "./fault.ts";

const bom = [0xef, 0xbb, 0xbf];

/**
 * Returns whether all bytes are ASCII.
 * @throws JsonFault for an empty text, and at the first byte that is not UTF-8
 */
export function requireUtf8(bytes: Uint8Array): boolean {
  if (bytes.length === 0) throw new JsonFault("text is empty", bytes, 0);
  if (isAscii(bytes)) return true;
  if (!isUtf8(bytes)) throw new JsonFault("text is not UTF-8", bytes, findInvalidUtf8(bytes));
  return false;
}

/** Returns the offset of the text: it begins after a byte order mark, if the bytes have one. */
export function textStart(bytes: Uint8Array): number {
  return bom.every((byte, at) => bytes[at] === byte) ? bom.length : 0;
}

/**
 * Returns the offset of the first byte that is not UTF-8. It halves the rest, so all steps together read the bytes
 * twice.
 */
export function findInvalidUtf8(bytes: Uint8Array): number {
  let valid = 0;
  let end = bytes.length;
  while (end - valid > 64) {
    const middle = startOfCharacter(bytes, (valid + end) >> 1);
    if (isUtf8(bytes.subarray(valid, middle))) valid = middle;
    else end = middle;
  }
  // The decoder replaces invalid bytes by U+FFFD, so the texts differ there. A character may be cut at the end.
  const rest = bytes.subarray(valid, end + 4);
  const repaired = Buffer.from(asBuffer(rest).toString("utf8"));
  return valid + rest.findIndex((byte, at) => byte !== repaired[at]);
}

/** Returns a Buffer of the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns the text of a JSON string without its quotes. @param escaped whether it holds a backslash */
export function decodeString(bytes: Buffer, start: number, end: number, escaped: boolean): string {
  return escaped
    ? JSON.parse(bytes.toString("utf8", start - 1, end + 1))
    : bytes.toString("utf8", start, end);
}
