import { crc32 } from "node:zlib";
import { asBuffer } from "../json/utf8.ts";

/**
 * Checksums of lines that are JSON objects, as their last member: `{"a":1}` is stored as
 * `{"a":1,"#crc":"0a1b2c3d"}`. The checksum covers the original line and its place, so it detects changed bytes and
 * moved lines. Lines of earlier versions have none.
 */

/** The place of a line's first byte in numbered files. */
export interface LinePlace {
  readonly number: number;
  readonly offset: number;
}

const lf = 0x0a;
const closeObject = 0x7d;
const head = Buffer.from(',"#crc":"');
const digits = 8;
const tail = Buffer.from('"}');
/** The bytes that a checksum adds to a line. */
export const checksumBytes = head.length + digits + tail.length - 1;

const hexDigits = Buffer.from("0123456789abcdef");

/** What takes the place of the brace at the end of a line, before its checksum is known. */
const room = Buffer.concat([head, Buffer.alloc(digits, "0"), tail]);

/**
 * Returns the lines with their checksums.
 * @param lines each a JSON object with an LF; a line that does not end as an object gets no checksum
 * @param place the place of the first line
 */
export function addChecksums(lines: Uint8Array, place: LinePlace): Buffer {
  const target = Buffer.allocUnsafeSlow(lines.length + countLines(lines) * checksumBytes);
  const checked = target.subarray(0, joinWithRoom([lines], target));
  fillChecksums(checked, place);
  return checked;
}

/** Counts line ends. */
export function countLines(lines: Uint8Array): number {
  const source = asBuffer(lines);
  let count = 0;
  for (let at = source.indexOf(lf); at !== -1; at = source.indexOf(lf, at + 1)) count++;
  return count;
}

/**
 * Copies lines, with room for the checksum of each that ends as an object, and returns their length.
 * @param pieces of lines that each have an LF; a piece may begin and end anywhere in a line
 * @param target as long as the pieces and `checksumBytes` for each line
 */
export function joinWithRoom(pieces: readonly Uint8Array[], target: Buffer): number {
  let to = 0;
  for (const piece of pieces) {
    const source = asBuffer(piece);
    for (let start = 0; start < source.length; ) {
      const end = source.indexOf(lf, start);
      to += source.copy(target, to, start, end === -1 ? source.length : end);
      if (end === -1) break;
      if (target[to - 1] === closeObject) to += room.copy(target, to - 1) - 1;
      target[to++] = lf;
      start = end + 1;
    }
  }
  return to;
}

/**
 * Writes the checksums of lines into the room that `joinWithRoom` left, and returns the number of lines.
 * @param place the place of the first line
 */
export function fillChecksums(lines: Uint8Array, { number, offset }: LinePlace): number {
  const bytes = asBuffer(lines);
  let count = 0;
  for (let start = 0; start < bytes.length; count++) {
    const end = bytes.indexOf(lf, start);
    if (bytes[end - 1] === closeObject) {
      const line = bytes.subarray(start, end - room.length);
      let sum = checksumOf(line, { number, offset: offset + start });
      for (let at = end - tail.length; at > end - tail.length - digits; sum >>>= 4)
        bytes[--at] = hexDigits[sum & 15]!;
    }
    start = end + 1;
  }
  return count;
}

/**
 * Changes the checksums of lines, in their memory, to those of another place: an intact line stays
 * intact, and a damaged one damaged.
 * @param from the place of the first line to which its checksum belongs
 */
export function moveChecksums(lines: Uint8Array, from: LinePlace, to: LinePlace): void {
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(lf, start);
    if (end === -1) return;
    const move = hashOf(from.number, from.offset + start) ^ hashOf(to.number, to.offset + start);
    moveChecksum(lines.subarray(start, end), move);
    start = end + 1;
  }
}

/** Changes the checksum of a line that has one. Each digit changes by itself, so a damaged one stays so. */
function moveChecksum(line: Uint8Array, move: number): void {
  const from = line.length - tail.length - digits;
  if (from - head.length < 1) return;
  if (countOthers(line, tail, from + digits) + countOthers(line, head, from - head.length) > 0) return;
  for (let at = from, shift = 28; shift >= 0; at++, shift -= 4) {
    const digit = hexDigits.indexOf(line[at]!);
    if (digit >= 0) line[at] = hexDigits[digit ^ ((move >>> shift) & 15)]!;
  }
}

export type CheckedLine = "intact" | "damaged" | "unchecked";

/** Compares a line, without its LF, with its checksum; "unchecked" when it has none. */
export function checkLine(line: Uint8Array, place: LinePlace): CheckedLine {
  const end = line.length - tail.length;
  const from = end - digits - head.length;
  if (from < 1) return "unchecked";
  const changed = countOthers(line, tail, end) + countOthers(line, head, from);
  // A line with one other byte had a checksum: no line of an earlier version ends like this.
  if (changed > 0) return changed === 1 ? "damaged" : "unchecked";
  const sum = checksumOf(line.subarray(0, from), place);
  for (let at = end - digits, shift = 28; at < end; at++, shift -= 4) {
    if (line[at] !== hexDigits[(sum >>> shift) & 15]) return "damaged";
  }
  return "intact";
}

/** Returns the line without its checksum. The line must be intact. */
export function withoutChecksum(line: Uint8Array): Uint8Array {
  const plain = Uint8Array.from(line.subarray(0, line.length - checksumBytes));
  plain[plain.length - 1] = closeObject;
  return plain;
}

/** @param line without its closing brace */
function checksumOf(line: Uint8Array, { number, offset }: LinePlace): number {
  return (crc32(line) ^ hashOf(number, offset)) >>> 0;
}

/** Returns what a place contributes to a checksum. */
function hashOf(number: number, offset: number): number {
  return Math.imul(number, 0x9e3779b1) ^ Math.imul(offset, 0x85ebca6b);
}

/** Counts the bytes of a line that differ from a piece. A loop is faster than a call for this few bytes. */
function countOthers(line: Uint8Array, piece: Uint8Array, at: number): number {
  let count = 0;
  for (let i = 0; i < piece.length; i++) if (line[at + i] !== piece[i]) count++;
  return count;
}
