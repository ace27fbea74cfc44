import { varint } from "./thrift.ts";

/**
 * Encodes levels of up to 2 bits as one run, with the length of the run before it, as data pages of version 1 contain
 * them. Equal levels take a few bytes.
 * @param levels one byte for each level
 */
export function encodeLevels(levels: Uint8Array, bits: 1 | 2): Buffer {
  const first = levels[0];
  if (first === undefined || levels.every((level) => level === first))
    return withLength(encodeEqual(first ?? 0, levels.length));
  const packed = new Uint8Array(groupsOf(levels.length) * bits);
  for (let at = 0; at < levels.length; at++) {
    const bit = at * bits;
    // A level never crosses the end of a byte.
    packed[bit >> 3]! |= levels[at]! << (bit & 7);
  }
  return withLength(encodePacked(packed, levels.length));
}

/**
 * Encodes levels of one bit.
 * @param bitmap the lowest bit first, with zeros after the last level
 */
export function encodeBits(bitmap: Uint8Array, count: number, ones: number): Buffer {
  if (ones === count || ones === 0) return withLength(encodeEqual(ones === 0 ? 0 : 1, count));
  return withLength(encodePacked(bitmap.subarray(0, groupsOf(count)), count));
}

/** Levels are packed in groups of eight. */
const groupsOf = (count: number): number => Math.ceil(count / 8);

const encodeEqual = (level: number, count: number): Uint8Array =>
  Uint8Array.from([...varint(count * 2), level]);

function encodePacked(packed: Uint8Array, count: number): Uint8Array {
  const header = varint(groupsOf(count) * 2 + 1);
  return Buffer.concat([Uint8Array.from(header), packed]);
}

function withLength(run: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafeSlow(4 + run.length);
  bytes.writeUInt32LE(run.length, 0);
  bytes.set(run, 4);
  return bytes;
}
