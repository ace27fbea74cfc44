import type { YieldToEventLoop } from "../../../base/async/yield.ts";

/** Copies between two checks of the clock: about 0.1 ms. */
const copiesPerLook = 4_096;

/** The positions of reading and writing. */
interface Place {
  at: number;
  to: number;
}

/**
 * Decompresses the raw block format of snappy and yields to the event loop. Returns undefined if it is malformed or
 * does not have `length` bytes.
 * https://github.com/google/snappy/blob/main/format_description.txt
 * @param from after the length that a block begins with
 */
export async function unpackSnappy(
  bytes: Uint8Array,
  from: number,
  length: number,
  yieldToEventLoop: YieldToEventLoop,
): Promise<Buffer | undefined> {
  const target = Buffer.allocUnsafe(length);
  const place: Place = { at: from, to: 0 };
  for (let copies = 1; place.at < bytes.length; copies++) {
    const isGood =
      (bytes[place.at]! & 3) === 0 ? copyLiteral(bytes, target, place) : copyEarlier(bytes, target, place);
    if (!isGood) return undefined;
    const wait = copies % copiesPerLook === 0 ? yieldToEventLoop() : undefined;
    if (wait !== undefined) await wait;
  }
  return place.to === length ? target : undefined;
}

/** Copies literal bytes; from 61 on their number follows the tag. */
function copyLiteral(bytes: Uint8Array, target: Buffer, place: Place): boolean {
  const code = bytes[place.at]! >> 2;
  const more = code < 60 ? 0 : code - 59;
  const start = place.at + 1 + more;
  const size = (more === 0 ? code : numberAt(bytes, place.at + 1, more)) + 1;
  if (start + size > bytes.length || place.to + size > target.length) return false;
  target.set(bytes.subarray(start, start + size), place.to);
  place.at = start + size;
  place.to += size;
  return true;
}

/** Copies earlier output, which may overlap with the copy itself. */
function copyEarlier(bytes: Uint8Array, target: Buffer, place: Place): boolean {
  const tag = bytes[place.at]!;
  const isShort = (tag & 3) === 1;
  const offsetBytes = isShort ? 1 : (tag & 3) === 2 ? 2 : 4;
  if (place.at + 1 + offsetBytes > bytes.length) return false;
  const size = isShort ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
  const offset = numberAt(bytes, place.at + 1, offsetBytes) + (isShort ? (tag >> 5) << 8 : 0);
  const { to } = place;
  if (offset === 0 || offset > to || to + size > target.length) return false;
  if (offset >= size) target.copyWithin(to, to - offset, to - offset + size);
  else for (let i = 0; i < size; i++) target[to + i] = target[to + i - offset]!;
  place.at += 1 + offsetBytes;
  place.to += size;
  return true;
}

/** Reads a little-endian number; bytes beyond the end are zero. */
function numberAt(bytes: Uint8Array, at: number, size: number): number {
  let number = 0;
  for (let i = 0; i < size; i++) number += (bytes[at + i] ?? 0) * 2 ** (8 * i);
  return number;
}
