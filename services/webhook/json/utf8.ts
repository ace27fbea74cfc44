import { isUtf8 } from "node:buffer";
import { JsonFault } from "./fault.ts";

const bom = [0xef, 0xbb, 0xbf];

/** Throws JsonFault for an empty text and the first byte that is not UTF-8. */
export function requireUtf8(bytes: Uint8Array): void {
  if (bytes.length === 0) throw new JsonFault("text is empty", bytes, 0);
  if (!isUtf8(bytes)) throw new JsonFault("text is not UTF-8", bytes, findInvalid(bytes));
}

/** Where the text begins: after a byte order mark, if there is one. */
export function textStart(bytes: Uint8Array): number {
  return bom.every((byte, at) => bytes[at] === byte) ? bom.length : 0;
}

/** Halves what is left, so that all steps together look at the bytes twice. */
function findInvalid(bytes: Uint8Array): number {
  let [valid, end] = [0, bytes.length];
  while (end - valid > 64) {
    let middle = (valid + end) >> 1;
    // To the first byte of a character, which is at most 3 back in valid text.
    for (let back = 0; back < 3 && (bytes[middle]! & 0xc0) === 0x80; back++) middle--;
    if (isUtf8(bytes.subarray(valid, middle))) valid = middle;
    else end = middle;
  }
  // Decoding puts U+FFFD for what is invalid, so the texts part there. A character may be cut at the end.
  const rest = bytes.subarray(valid, end + 4);
  const repaired = Buffer.from(asBuffer(rest).toString("utf8"));
  return valid + rest.findIndex((byte, at) => byte !== repaired[at]);
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
