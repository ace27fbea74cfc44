import { compileFind, overlappingHeads, type Separators } from "./separators.ts";
import {
  asBuffer,
  type LineVisitor,
  needleOf,
  openWindow,
  visitPart,
  visitUnreadable,
  type Window,
  windowBytes,
} from "./window.ts";

/** How a content is cut: items with an INDEX each, one line each by LF, or the whole as one line. */
export const framings = ["items", "lines", "none"] as const;

export type Framing = (typeof framings)[number];

export function isFraming(value: unknown): value is Framing {
  return framings.some((framing) => framing === value);
}

/**
 * Cuts `INDEX IDXSEP DATA (SEP INDEX IDXSEP DATA)*` into its items, in linear time. A piece without IDXSEP belongs
 * to the item before it: its SEP was data. Returns how often that happened.
 */
export function visitItems(content: Uint8Array, separators: Separators, visitor: LineVisitor): number {
  const bytes = asBuffer(content);
  const needles = { item: needleOf(separators.item), index: needleOf(separators.index) };
  const item = Buffer.from(separators.item);
  const nextEnd = createItemEnds(bytes, item, Buffer.from(separators.index));
  let collisions = 0;
  for (let start = 0; start < bytes.length; ) {
    const end = nextEnd(start + windowBytes);
    const part = bytes.subarray(start, end);
    const window = openWindow(part);
    if (window === undefined) visitUnreadable(part, undefined, visitor);
    else collisions += visitWindowItems(window, needles, visitor);
    start = end + item.length;
  }
  return collisions;
}

/**
 * Where windows may end: gives the first end of an item at or after an offset, which is a SEP with an IDXSEP in the
 * piece behind it, or the end of the content. To be asked with growing offsets.
 */
function createItemEnds(bytes: Buffer, item: Buffer, index: Buffer): (from: number) => number {
  const pieceEnd = compileBytesPieceEnd(bytes, item);
  let nextIndex = -1;
  return (from) => {
    if (from >= bytes.length) return bytes.length;
    let at = pieceEnd(from);
    while (at < bytes.length) {
      const start = at + item.length;
      if (nextIndex < start) nextIndex = endless(bytes.indexOf(index, start), bytes.length);
      if (nextIndex === bytes.length) return nextIndex;
      const end = pieceEnd(start);
      if (nextIndex + index.length <= end) return at;
      at = end;
    }
    return bytes.length;
  };
}

/**
 * Windows begin at items, so that only the first piece of a content can lack its IDXSEP. All of a window is cut
 * before its first line is visited: searching and parsing in turns took a tenth longer.
 */
function visitWindowItems(window: Window, needles: Needles, visitor: LineVisitor): number {
  const { text } = window;
  const { starts, indexesAt, ends, collisions } = cutItems(text, needles.item, needles.index);
  const indexIn = indexReader(text);
  for (let at = 0; at < starts.length; at++) {
    const start = starts[at]!;
    const indexAt = indexesAt[at]!;
    const index = indexAt < 0 ? undefined : indexIn(start, indexAt);
    const dataStart = indexAt < 0 ? start : indexAt + needles.index.length;
    visitPart(window, index, dataStart, trimmedEnd(text, dataStart, ends[at]!), visitor);
  }
  return collisions;
}

/** The separators as they stand in a window's text. */
type Needles = Pick<Separators, "item" | "index">;

/** Offsets of the items of a text: where each starts, its IDXSEP stands (−1: nowhere), and it ends. */
interface Cuts {
  readonly starts: number[];
  readonly indexesAt: number[];
  readonly ends: number[];
  readonly collisions: number;
}

function cutItems(text: string, item: string, index: string): Cuts {
  const pieceEnd = compilePieceEnd(text, item);
  const starts: number[] = [];
  const indexesAt: number[] = [];
  const ends: number[] = [];
  let collisions = 0;
  let nextIndex = -1;
  for (let start = 0; start <= text.length; ) {
    const end = pieceEnd(start);
    // Kept until it is passed, so that pieces without IDXSEP don't search all the rest each time.
    if (nextIndex < start) nextIndex = endless(text.indexOf(index, start), text.length);
    const hasIndex = nextIndex + index.length <= end;
    if (hasIndex || start === 0) {
      starts.push(start);
      indexesAt.push(hasIndex ? nextIndex : -1);
      ends.push(end);
    } else {
      ends[ends.length - 1] = end;
      collisions++;
    }
    start = end + item.length;
  }
  return { starts, indexesAt, ends, collisions };
}

/**
 * Most batches name one index all through: comparing in place spares a copy for each item. It is a copy because an
 * index may be remembered, and a slice would keep the whole text alive.
 */
function indexReader(text: string): (start: number, end: number) => string {
  let lastRaw = "";
  let lastIndex = "";
  return (start, end) => {
    if (end - start === lastRaw.length && text.startsWith(lastRaw, start)) return lastIndex;
    lastRaw = text.slice(start, end);
    lastIndex = Buffer.from(lastRaw, "latin1").toString("utf8");
    return lastIndex;
  };
}

/** Finds where the piece ends that starts at an offset: at the next separator, or at the end of the text. */
function compilePieceEnd(text: string, separator: string): (start: number) => number {
  const find = compileFind(separator);
  const shifts = overlappingHeads(separator).map((head) => head.length);
  return (start) => {
    const found = find(text, start);
    if (found < 0) return text.length;
    return shifts.length === 0 ? found : lastOfRun((at) => text.startsWith(separator, at), shifts, found);
  };
}

function compileBytesPieceEnd(bytes: Buffer, separator: Buffer): (start: number) => number {
  const shifts = overlappingHeads(separator.toString("latin1")).map((head) => head.length);
  return (start) => {
    const found = bytes.indexOf(separator, start);
    if (found < 0) return bytes.length;
    return lastOfRun((at) => bytes.subarray(at, at + separator.length).equals(separator), shifts, found);
  };
}

/** `x:::a.log` is `x:` and `a.log` rather than `x` and `:a.log`: data ends in any way, but an index hardly begins so. */
function lastOfRun(isAt: (offset: number) => boolean, shifts: readonly number[], found: number): number {
  let last = found;
  for (;;) {
    const shift = shifts.find((length) => isAt(last + length));
    if (shift === undefined) return last;
    last += shift;
  }
}

function endless(found: number, length: number): number {
  return found < 0 ? length : found;
}

/** Lines separated by LF, with or without CR before it; an LF at the end starts no further line. */
export function visitLines(content: Uint8Array, index: string, visitor: LineVisitor): void {
  const bytes = asBuffer(content);
  for (let start = 0; start < bytes.length; ) {
    const end = endless(bytes.indexOf(lf, start + windowBytes), bytes.length - 1) + 1;
    const part = bytes.subarray(start, end);
    const window = openWindow(part);
    if (window === undefined) visitUnreadable(part, index, visitor);
    else visitWindowLines(window, index, visitor);
    start = end;
  }
}

function visitWindowLines(window: Window, index: string, visitor: LineVisitor): void {
  const { text } = window;
  for (let start = 0; start < text.length; ) {
    const end = endless(text.indexOf("\n", start), text.length);
    const isBehindReturn = end > start && text.charCodeAt(end - 1) === cr;
    visitPart(window, index, start, isBehindReturn ? end - 1 : end, visitor);
    start = end + 1;
  }
}

/** The whole content as one line, without the blanks and line ends behind it. */
export function visitWhole(content: Uint8Array, index: string, visitor: LineVisitor): void {
  const bytes = asBuffer(content);
  const window = openWindow(bytes);
  if (window === undefined) visitUnreadable(bytes, index, visitor);
  else visitPart(window, index, 0, trimmedEnd(window.text, 0, window.text.length), visitor);
}

/** Whether an answer in `lines` ends with an LF of its own. */
export function endsWithLineFeed(content: Uint8Array): boolean {
  return content.at(-1) === lf;
}

const lf = 0x0a;
const cr = 0x0d;
const space = 0x20;

/** Tabs stay: an empty last column of tab-separated data is data. */
function trimmedEnd(text: string, start: number, end: number): number {
  for (let at = end; at > start; at--) {
    const character = text.charCodeAt(at - 1);
    if (character !== space && character !== lf && character !== cr) return at;
  }
  return start;
}
