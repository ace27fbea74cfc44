import type { BatchElement } from "./batch.ts";

/** The first byte of the stored form: how the push ids are encoded. */
const utf8 = 1;
/** The encoding of texts with unpaired surrogates, which UTF-8 cannot represent. */
const utf16 = 2;

/** An element's numbers as varints: six of at most 4 bytes, since bodies are far below 256 MiB. */
const maxNumberBytes = 24;
/** Six numbers of one byte each. */
const minElementBytes = 6;

/**
 * Encodes the elements of a batch, in about 9 bytes plus the push id for each: first the differences
 * between neighbours as varints, then all push ids as one text, which their lengths in UTF-16 units
 * divide.
 */
export function encodeElements(elements: readonly BatchElement[]): Uint8Array {
  const pushIds = elements.map(({ pushId }) => pushId).join("");
  const isUtf8 = pushIds.isWellFormed();
  const text = Buffer.from(pushIds, isUtf8 ? "utf8" : "utf16le");
  const out = new Uint8Array(8 + elements.length * maxNumberBytes + text.length);
  out[0] = isUtf8 ? utf8 : utf16;
  let at = writeVarint(out, 1, elements.length);
  let nextIndex = 0;
  let lastEnd = 0;
  for (const { index, pushId, start, end, receiptStart, receiptEnd } of elements) {
    at = writeVarint(out, at, index - nextIndex);
    at = writeVarint(out, at, start - lastEnd);
    at = writeVarint(out, at, end - start);
    at = writeVarint(out, at, receiptStart - start);
    at = writeVarint(out, at, receiptEnd - receiptStart);
    at = writeVarint(out, at, pushId.length);
    nextIndex = index + 1;
    lastEnd = end;
  }
  out.set(text, at);
  return out.subarray(0, at + text.length);
}

/**
 * Decodes what `encodeElements` returns.
 * @throws RangeError for other bytes
 */
export function decodeElements(bytes: Uint8Array): BatchElement[] {
  if (bytes[0] !== utf8 && bytes[0] !== utf16) {
    throw new RangeError(`element list of unknown form ${bytes[0]}`);
  }
  const reader = { bytes, at: 1 };
  const length = readVarint(reader);
  if (length * minElementBytes > bytes.length) {
    throw new RangeError(`element list of ${bytes.length} bytes claims ${length} elements`);
  }
  const numbers = Array.from({ length }, () => ({
    gap: readVarint(reader),
    skip: readVarint(reader),
    length: readVarint(reader),
    receiptAt: readVarint(reader),
    receiptLength: readVarint(reader),
    idLength: readVarint(reader),
  }));
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + reader.at, bytes.length - reader.at);
  const pushIds = text.toString(bytes[0] === utf8 ? "utf8" : "utf16le");
  let [nextIndex, lastEnd, idAt] = [0, 0, 0];
  return numbers.map(({ gap, skip, length, receiptAt, receiptLength, idLength }) => {
    const index = nextIndex + gap;
    const start = lastEnd + skip;
    const receiptStart = start + receiptAt;
    const pushId = pushIds.slice(idAt, idAt + idLength);
    nextIndex = index + 1;
    lastEnd = start + length;
    idAt += idLength;
    return { index, pushId, start, end: lastEnd, receiptStart, receiptEnd: receiptStart + receiptLength };
  });
}

interface Reader {
  readonly bytes: Uint8Array;
  at: number;
}

function writeVarint(out: Uint8Array, at: number, value: number): number {
  let rest = value;
  let next = at;
  while (rest >= 128) {
    out[next++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  out[next++] = rest;
  return next;
}

function readVarint(reader: Reader): number {
  let value = 0;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = reader.bytes[reader.at++];
    if (byte === undefined) break;
    value |= (byte & 127) << shift;
    if (byte < 128) return value;
  }
  throw new RangeError(`element list has no number at byte ${reader.at - 1}`);
}
