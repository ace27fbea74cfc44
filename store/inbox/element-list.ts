import type { BatchElement } from "./batch.ts";

/** First byte of the stored form, so that a later form can be told apart. */
const FORM = 1;

/**
 * The stored form of a batch's elements: about 16 bytes each. Varints of the
 * differences between neighbours, and the push ids as UTF-8; one with half a
 * surrogate pair, which UTF-8 can't hold, as UTF-16.
 */
export function encodeElements(elements: readonly BatchElement[]): Uint8Array {
  const idBytes = elements.reduce((sum, { pushId }) => sum + pushId.length * 3, 0);
  const out = Buffer.allocUnsafe(11 + elements.length * 60 + idBytes);
  let at = out.writeUInt8(FORM, 0);
  at = writeVarint(out, at, elements.length);
  let lastIndex = -1;
  let lastEnd = 0;
  for (const { index, pushId, start, end, receiptStart, receiptEnd } of elements) {
    at = writeVarint(out, at, index - lastIndex - 1);
    at = writeVarint(out, at, start - lastEnd);
    at = writeVarint(out, at, end - start);
    at = writeVarint(out, at, receiptStart - start);
    at = writeVarint(out, at, receiptEnd - receiptStart);
    const isUtf8 = pushId.isWellFormed();
    const encoding = isUtf8 ? "utf8" : "utf16le";
    at = writeVarint(out, at, Buffer.byteLength(pushId, encoding) * 2 + (isUtf8 ? 0 : 1));
    at += out.write(pushId, at, encoding);
    lastIndex = index;
    lastEnd = end;
  }
  return out.subarray(0, at);
}

export function decodeElements(bytes: Uint8Array): BatchElement[] {
  const from = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (from[0] !== FORM) throw new RangeError(`element list of unknown form ${from[0]}`);
  const reader = { from, at: 1 };
  const count = readVarint(reader);
  const elements: BatchElement[] = [];
  let lastIndex = -1;
  let lastEnd = 0;
  for (let i = 0; i < count; i++) {
    const index = lastIndex + 1 + readVarint(reader);
    const start = lastEnd + readVarint(reader);
    const end = start + readVarint(reader);
    const receiptStart = start + readVarint(reader);
    const receiptEnd = receiptStart + readVarint(reader);
    elements.push({ index, pushId: readText(reader), start, end, receiptStart, receiptEnd });
    lastIndex = index;
    lastEnd = end;
  }
  return elements;
}

interface Reader {
  readonly from: Buffer;
  at: number;
}

/** Arithmetic instead of shifts: these would cut values at 32 bits. */
function writeVarint(out: Buffer, at: number, value: number): number {
  let rest = value;
  let next = at;
  while (rest >= 128) {
    out[next++] = (rest % 128) + 128;
    rest = Math.floor(rest / 128);
  }
  out[next++] = rest;
  return next;
}

function readVarint(reader: Reader): number {
  let value = 0;
  let unit = 1;
  for (;;) {
    const byte = reader.from.readUInt8(reader.at++);
    if (byte < 128) return value + byte * unit;
    value += (byte - 128) * unit;
    unit *= 128;
  }
}

function readText(reader: Reader): string {
  const head = readVarint(reader);
  const length = Math.floor(head / 2);
  const start = reader.at;
  reader.at += length;
  return reader.from.toString(head % 2 === 0 ? "utf8" : "utf16le", start, reader.at);
}
