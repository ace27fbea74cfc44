import { isAscii, isUtf8 } from "node:buffer";
import { type Bytes, bytesOf } from "../../../base/bytes/byte-sink.ts";

/** A line that is passed on as bytes because it is not UTF-8 or longer than a string can be. */
export interface UnreadableLine {
  readonly reason: "invalid_utf8" | "line_too_long";
  readonly bytes: Uint8Array;
}

/** Where a line is in its content: offsets in bytes. */
export interface LinePlace {
  /** The start of its index, or of its data where it has none. */
  readonly start: number;
  /** The end of its index; −1 for a line without one. */
  readonly indexEnd: number;
  readonly dataStart: number;
  readonly dataEnd: number;
  /** The end with what is removed after the data, without the separator or line end. */
  readonly end: number;
  /** SEPs within the data. */
  readonly collisions: readonly number[];
}

/** Receives lines without their line ends. `index` is undefined for a line without one. */
export interface LineVisitor {
  /**
   * Receives a line as a part of `bytes`, which are UTF-8. Where it returns false, `visit` receives the line.
   * @param isSplit whether the line contains no separator of items, if it is JSON
   */
  readonly tryCopy?: (index: string, bytes: Bytes, start: number, end: number, isSplit: boolean) => boolean;
  /** Receives the place of each line before the line itself. */
  readonly place?: ((place: LinePlace) => void) | undefined;
  /** Receives a line; `line` is empty where `unreadable` is set. */
  readonly visit: (index: string | undefined, line: string, unreadable: UnreadableLine | undefined) => void;
}

/**
 * Contents are decoded in segments of about this size: V8 allocates strings beyond 128 KiB separately, and the page
 * faults cost more than cutting (a call of 250 kB: 0.21 ms in one piece, 0.03 ms in segments).
 */
export const segmentBytes = 49_152;

/** V8 allows at most 2^29 − 24 characters in one string; a longer segment is treated as one line that is too long. */
const maxTextBytes = 2 ** 27;

/** A part of a content, with a text of the same bytes as Latin-1 for searching. */
export interface Segment {
  /** Its offset in the content. */
  readonly offset: number;
  readonly bytes: Bytes;
  readonly text: string;
  readonly encoding: "ascii" | "utf8" | "unknown";
}

export function asBuffer(content: Uint8Array): Buffer {
  if (Buffer.isBuffer(content)) return content;
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

export function decodeSegment(part: Buffer, offset: number): Segment | undefined {
  if (part.length > maxTextBytes) return undefined;
  const encoding = isAscii(part) ? "ascii" : isUtf8(part) ? "utf8" : "unknown";
  return { offset, bytes: bytesOf(part), text: part.toString("latin1"), encoding };
}

/** Visits bytes that are too long for a string, as one line. */
export function visitUnreadable(bytes: Uint8Array, index: string | undefined, { visit }: LineVisitor): void {
  visit(index, "", { reason: "line_too_long", bytes });
}

/** Visits one line of a segment. In a segment that is not UTF-8, each line is checked separately. */
export function visitSegmentLine(
  { bytes, text, encoding }: Segment,
  index: string | undefined,
  start: number,
  end: number,
  { tryCopy: take, visit }: LineVisitor,
  isSplit: boolean,
): void {
  if (encoding === "unknown") {
    const line = bytes.buffer.subarray(start, end);
    if (isUtf8(line)) visit(index, line.toString("utf8"), undefined);
    else visit(index, "", { reason: "invalid_utf8", bytes: Buffer.from(line) });
  } else if (take === undefined || index === undefined || !take(index, bytes, start, end, isSplit)) {
    const line = encoding === "ascii" ? text.slice(start, end) : bytes.buffer.toString("utf8", start, end);
    visit(index, line, undefined);
  }
}

/** Returns `needle` as it occurs in the text of a segment. */
export function latin1Of(needle: string): string {
  return Buffer.from(needle, "utf8").toString("latin1");
}
