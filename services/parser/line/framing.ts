import {
  asBuffer,
  decodeSegment,
  type LinePlace,
  type LineVisitor,
  latin1Of,
  type Segment,
  segmentBytes,
  visitSegmentLine,
  visitUnreadable,
} from "./segment.ts";
import { compileFind, overlappingHeads, type Separators } from "./separators.ts";

/** How a content is split: into items with an INDEX each, into lines at LF, or not at all. */
export const framings = ["items", "lines", "none"] as const;

export type Framing = (typeof framings)[number];

export function isFraming(value: unknown): value is Framing {
  return framings.some((framing) => framing === value);
}

/**
 * Splits `INDEX IDXSEP DATA (SEP INDEX IDXSEP DATA)*` into its items, in linear time. A piece without IDXSEP belongs
 * to the item before it, since its SEP was data. Returns how often that happened.
 */
export function visitItems(content: Uint8Array, separators: Separators, visitor: LineVisitor): number {
  const bytes = asBuffer(content);
  const needles = { item: latin1Of(separators.item), index: latin1Of(separators.index) };
  const item = Buffer.from(separators.item);
  const nextEnd = compileItemEnd(bytes, item, Buffer.from(separators.index));
  let collisions = 0;
  for (let start = 0; start < bytes.length; ) {
    const end = nextEnd(start + segmentBytes);
    const part = bytes.subarray(start, end);
    const window = decodeSegment(part, start);
    if (window === undefined) visitUnreadable(part, undefined, visitor);
    else collisions += visitSegmentItems(window, needles, visitor);
    start = end + item.length;
  }
  return collisions;
}

/**
 * Finds where a segment may end: the first end of an item at or after an offset, which is a SEP with an IDXSEP in the
 * piece after it, or the end of the content. The offsets of successive calls must grow.
 */
function compileItemEnd(bytes: Buffer, item: Buffer, index: Buffer): (from: number) => number {
  const pieceEnd = compileBytesPieceEnd(bytes, item);
  let nextIndex = -1;
  return (from) => {
    if (from >= bytes.length) return bytes.length;
    let at = pieceEnd(from);
    while (at < bytes.length) {
      const start = at + item.length;
      if (nextIndex < start) nextIndex = endOr(bytes.indexOf(index, start), bytes.length);
      if (nextIndex === bytes.length) return nextIndex;
      const end = pieceEnd(start);
      if (nextIndex + index.length <= end) return at;
      at = end;
    }
    return bytes.length;
  };
}

/**
 * Visits the items of a segment. Segments begin at items, so only the first piece of a content can lack its IDXSEP.
 * All items are found before the first is visited: alternating between searching and parsing took a tenth longer.
 */
function visitSegmentItems(window: Segment, needles: SegmentSeparators, visitor: LineVisitor): number {
  const { text } = window;
  const items = findItems(text, needles.item, needles.index);
  const { starts, indexesAt, ends, collisions } = items;
  const indexIn = createIndexReader(text);
  const placeOf = visitor.place && createItemPlaces(items, window.offset, needles.index.length);
  for (let at = 0; at < starts.length; at++) {
    const start = starts[at]!;
    const indexAt = indexesAt[at]!;
    const index = indexAt < 0 ? undefined : indexIn(start, indexAt);
    const dataStart = indexAt < 0 ? start : indexAt + needles.index.length;
    const dataEnd = trimmedEnd(text, dataStart, ends[at]!);
    if (placeOf !== undefined) visitor.place?.(placeOf(at, dataEnd));
    visitSegmentLine(window, index, dataStart, dataEnd, visitor, collisions.length === 0);
  }
  return collisions.length;
}

/** Returns the places of the items of a segment, which must be requested in their order. */
function createItemPlaces(
  { starts, indexesAt, ends, collisions }: ItemOffsets,
  offset: number,
  separatorLength: number,
): (at: number, dataEnd: number) => LinePlace {
  let passed = 0;
  return (at, dataEnd) => {
    const first = passed;
    while (passed < collisions.length && collisions[passed]! < ends[at]!) passed++;
    const indexAt = indexesAt[at]!;
    return {
      start: offset + starts[at]!,
      indexEnd: indexAt < 0 ? -1 : offset + indexAt,
      dataStart: offset + (indexAt < 0 ? starts[at]! : indexAt + separatorLength),
      dataEnd: offset + dataEnd,
      end: offset + ends[at]!,
      collisions: collisions.slice(first, passed).map((found) => offset + found),
    };
  };
}

const none: readonly number[] = [];

/** The separators as they occur in the text of a segment. */
type SegmentSeparators = Pick<Separators, "item" | "index">;

/** Offsets of the items of a text: their starts, their IDXSEPs (−1 where there is none) and their ends. */
interface ItemOffsets {
  readonly starts: number[];
  readonly indexesAt: number[];
  readonly ends: number[];
  /** Offsets of the separators within items. */
  readonly collisions: number[];
}

function findItems(text: string, item: string, index: string): ItemOffsets {
  const pieceEnd = compilePieceEnd(text, item);
  const starts: number[] = [];
  const indexesAt: number[] = [];
  const ends: number[] = [];
  const collisions: number[] = [];
  let nextIndex = -1;
  for (let start = 0; start <= text.length; ) {
    const end = pieceEnd(start);
    // The next IDXSEP is kept until it is passed, so that pieces without one do not search the rest of the text again.
    if (nextIndex < start) nextIndex = endOr(text.indexOf(index, start), text.length);
    const hasIndex = nextIndex + index.length <= end;
    if (hasIndex || start === 0) {
      starts.push(start);
      indexesAt.push(hasIndex ? nextIndex : -1);
      ends.push(end);
    } else {
      ends[ends.length - 1] = end;
      collisions.push(start - item.length);
    }
    start = end + item.length;
  }
  return { starts, indexesAt, ends, collisions };
}

/**
 * Reads the index of an item. Most batches have one index throughout: comparing in place avoids a copy for each item.
 * The index is a copy because it may be cached, and a slice would keep the whole text in memory.
 */
function createIndexReader(text: string): (start: number, end: number) => string {
  let lastRaw = "";
  let lastIndex = "";
  return (start, end) => {
    if (end - start === lastRaw.length && text.startsWith(lastRaw, start)) return lastIndex;
    lastRaw = text.slice(start, end);
    lastIndex = Buffer.from(lastRaw, "latin1").toString("utf8");
    return lastIndex;
  };
}

/** Finds the end of the piece that starts at an offset: the next separator, or the end of the text. */
function compilePieceEnd(text: string, separator: string): (start: number) => number {
  const find = compileFind(separator);
  const shifts = overlappingHeads(separator).map((head) => head.length);
  return (start) => {
    const found = find(text, start);
    if (found < 0) return text.length;
    return shifts.length === 0 ? found : lastOverlap((at) => text.startsWith(separator, at), shifts, found);
  };
}

function compileBytesPieceEnd(bytes: Buffer, separator: Buffer): (start: number) => number {
  const shifts = overlappingHeads(separator.toString("latin1")).map((head) => head.length);
  return (start) => {
    const found = bytes.indexOf(separator, start);
    if (found < 0) return bytes.length;
    return lastOverlap((at) => bytes.subarray(at, at + separator.length).equals(separator), shifts, found);
  };
}

/**
 * Splits `x:::a.log` into `x:` and `a.log`, not `x` and `:a.log`: data may end with a colon, an index hardly begins
 * with one.
 */
function lastOverlap(isAt: (offset: number) => boolean, shifts: readonly number[], found: number): number {
  let last = found;
  for (;;) {
    const shift = shifts.find((length) => isAt(last + length));
    if (shift === undefined) return last;
    last += shift;
  }
}

function endOr(found: number, length: number): number {
  return found < 0 ? length : found;
}

/** Visits lines that end with LF or CRLF; an LF at the end of the content starts no further line. */
export function visitLines(content: Uint8Array, index: string, visitor: LineVisitor): void {
  const bytes = asBuffer(content);
  for (let start = 0; start < bytes.length; ) {
    const end = endOr(bytes.indexOf(lf, start + segmentBytes), bytes.length - 1) + 1;
    const part = bytes.subarray(start, end);
    const window = decodeSegment(part, start);
    if (window === undefined) visitUnreadable(part, index, visitor);
    else visitSegmentLines(window, index, visitor);
    start = end;
  }
}

function visitSegmentLines(window: Segment, index: string, visitor: LineVisitor): void {
  const { text } = window;
  for (let start = 0; start < text.length; ) {
    const end = endOr(text.indexOf("\n", start), text.length);
    const isBehindReturn = end > start && text.charCodeAt(end - 1) === cr;
    const lineEnd = isBehindReturn ? end - 1 : end;
    visitor.place?.(placeOfLine(window.offset + start, window.offset + lineEnd));
    visitSegmentLine(window, index, start, lineEnd, visitor, true);
    start = end + 1;
  }
}

function placeOfLine(start: number, end: number): LinePlace {
  return { start, indexEnd: -1, dataStart: start, dataEnd: end, end, collisions: none };
}

/** Visits the whole content as one line, without the spaces and line ends after it. */
export function visitWhole(content: Uint8Array, index: string, visitor: LineVisitor): void {
  const bytes = asBuffer(content);
  const window = decodeSegment(bytes, 0);
  if (window === undefined) {
    visitUnreadable(bytes, index, visitor);
    return;
  }
  const { length } = window.text;
  const end = trimmedEnd(window.text, 0, length);
  visitor.place?.({ start: 0, indexEnd: -1, dataStart: 0, dataEnd: end, end: length, collisions: none });
  visitSegmentLine(window, index, 0, end, visitor, true);
}

/** Reports whether the response in the framing `lines` ends with LF too. */
export function endsWithLineFeed(content: Uint8Array): boolean {
  return content.at(-1) === lf;
}

const lf = 0x0a;
const cr = 0x0d;
const space = 0x20;

/**
 * Returns the end without trailing spaces and line ends. Tabs are kept: an empty last column of tab-separated data is
 * data.
 */
function trimmedEnd(text: string, start: number, end: number): number {
  for (let at = end; at > start; at--) {
    const character = text.charCodeAt(at - 1);
    if (character !== space && character !== lf && character !== cr) return at;
  }
  return start;
}
