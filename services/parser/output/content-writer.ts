import type { CopyLine } from "../line/line.ts";
import { latin1Of } from "../line/segment.ts";
import { compileFind, overlappingHeads } from "../line/separators.ts";
import { ByteSink, type Bytes, chunkCharacters } from "./byte-sink.ts";
import { compileJoin, emptyItem, type JoinRecords } from "./join-records.ts";

/** The line of an item, for its dead letter if its records cannot be written. */
export interface ItemOrigin {
  readonly index: string | undefined;
  readonly line: string;
  readonly format: string | undefined;
}

/** A line as a part of its content. */
export interface LineBytes {
  readonly index: string;
  readonly format: string;
  readonly bytes: Bytes;
  readonly start: number;
  readonly end: number;
}

/**
 * Writes the content of a response such that splitting it at the separators gives exactly the items that were added.
 */
export interface ContentWriter {
  add(records: readonly string[], origin: ItemOrigin): void;
  addEmpty(): void;
  /** Adds the one record of a line by copying it; returns false and adds nothing when the line cannot be copied. */
  copy(line: LineBytes, copyLine: CopyLine): boolean;
  count(): number;
  /** Returns the content. `end` is written after the last item. */
  finish(end: string): Uint8Array<ArrayBuffer>;
}

/** `separator` is undefined where the content is a single item. */
export interface ContentSeparators {
  readonly separator: string | undefined;
  readonly recordSeparator: string;
}

/** Called for items that are written as `{}` because their records contain a separator where it cannot be escaped. */
export type RefuseItem = (records: readonly string[], origin: ItemOrigin) => void;

interface ContentRules {
  readonly separator: string;
  readonly recordSeparator: string;
  readonly join: JoinRecords;
  readonly splitsExactly: SplitsExactly;
  /** Takes a text whose characters are the bytes of a chunk. */
  readonly bytesSplitExactly: SplitsExactly;
}

export function compileContentWriter(
  separators: ContentSeparators,
): (expectedBytes: number, refuseItem: RefuseItem) => ContentWriter {
  const { separator, recordSeparator } = separators;
  const rules: ContentRules = {
    separator: separator ?? "",
    recordSeparator,
    join: compileJoin(separator, recordSeparator),
    splitsExactly: compileSplitsExactly(separators),
    bytesSplitExactly: compileSplitsExactly({
      separator: separator === undefined ? undefined : latin1Of(separator),
      recordSeparator: latin1Of(recordSeparator),
    }),
  };
  return (expectedBytes, refuseItem) => new ChunkedContentWriter(rules, expectedBytes, refuseItem);
}

/**
 * Writes items chunk by chunk. A chunk holds either texts, which are written when it is closed, or copied lines, which
 * are written when they are added.
 */
class ChunkedContentWriter implements ContentWriter {
  readonly #rules: ContentRules;
  readonly #refuseItem: RefuseItem;
  readonly #sink: ByteSink;
  readonly #openSink = (): ByteSink => this.#open();
  #count = 0;
  #texts: string[] = [];
  #origins: (ItemOrigin | undefined)[] = [];
  /** The records of items that have several, by item. */
  #several: Map<number, readonly string[]> | undefined;
  #copies: LineBytes[] = [];
  /** Offset in the sink at which the chunk begins. */
  #from = 0;
  /** Ends of the chunk's items, relative to its start: in characters for texts, in bytes for copies. */
  #ends: number[] = [];
  #nextStart = 0;
  #opened = -1;

  constructor(rules: ContentRules, expectedBytes: number, refuseItem: RefuseItem) {
    this.#rules = rules;
    this.#refuseItem = refuseItem;
    this.#sink = new ByteSink(expectedBytes + (expectedBytes >> 1));
  }

  count(): number {
    return this.#count;
  }

  add(records: readonly string[], origin: ItemOrigin): void {
    if (records.length === 0) {
      this.addEmpty();
      return;
    }
    this.#openTexts();
    if (records.length > 1) {
      this.#several ??= new Map();
      this.#several.set(this.#texts.length, records);
    }
    this.#push(records.length === 1 ? records[0]! : records.join(this.#rules.recordSeparator), origin);
  }

  addEmpty(): void {
    this.#openTexts();
    this.#push(emptyItem, undefined);
  }

  copy(line: LineBytes, copyLine: CopyLine): boolean {
    this.#opened = -1;
    if (!copyLine(line.bytes, line.start, line.end, this.#openSink)) {
      if (this.#opened >= 0) this.#sink.truncate(this.#opened);
      return false;
    }
    this.#copies.push(line);
    this.#ends.push(this.#sink.length - this.#from);
    this.#count++;
    return true;
  }

  finish(end: string): Uint8Array<ArrayBuffer> {
    this.#closeChunk(end);
    return this.#sink.finish();
  }

  #openTexts(): void {
    if (this.#copies.length > 0 || this.#nextStart > chunkCharacters) this.#closeChunk(this.#rules.separator);
  }

  #push(item: string, origin: ItemOrigin | undefined): void {
    this.#texts.push(item);
    this.#origins.push(origin);
    this.#ends.push(this.#nextStart + item.length);
    this.#nextStart += item.length + this.#rules.separator.length;
    this.#count++;
  }

  /** Prepares the sink for a copy. */
  #open(): ByteSink {
    const sink = this.#sink;
    const isFull = sink.length - this.#from > chunkCharacters;
    if (this.#texts.length > 0 || (this.#copies.length > 0 && isFull))
      this.#closeChunk(this.#rules.separator);
    this.#opened = sink.length;
    if (this.#copies.length > 0) sink.text(this.#rules.separator);
    return sink;
  }

  #closeChunk(end: string): void {
    if (this.#copies.length > 0) this.#closeCopies(end);
    else this.#closeTexts(end);
    this.#ends = [];
    this.#from = this.#sink.length;
  }

  #closeTexts(end: string): void {
    const { separator, splitsExactly } = this.#rules;
    const text = this.#texts.join(separator) + end;
    const isSimple = this.#several === undefined && splitsExactly(text, this.#ends);
    this.#sink.text(isSimple ? text : this.#rejoin(this.#texts, (item) => this.#origins[item]) + end);
    this.#texts = [];
    this.#origins = [];
    this.#several = undefined;
    this.#nextStart = 0;
  }

  /** Closes a chunk of copies; replaces them by texts when a record contains a separator. */
  #closeCopies(end: string): void {
    const from = this.#from;
    const { separator, bytesSplitExactly } = this.#rules;
    if (bytesSplitExactly(this.#sink.latin1(from) + latin1Of(end), this.#ends)) this.#sink.text(end);
    else {
      const separatorBytes = Buffer.byteLength(separator);
      const startOf = (item: number): number => (item === 0 ? 0 : this.#ends[item - 1]! + separatorBytes);
      const records = this.#ends.map((to, item) => this.#sink.utf8(from + startOf(item), from + to));
      this.#sink.truncate(from);
      this.#sink.text(this.#rejoin(records, (item) => originOf(this.#copies[item]!)) + end);
    }
    this.#copies = [];
  }

  /** Joins items one by one and escapes separators in them. */
  #rejoin(items: readonly string[], origins: (item: number) => ItemOrigin | undefined): string {
    const joined = items.map((item, at) => {
      const origin = origins(at);
      if (origin === undefined) return item;
      const records = this.#several?.get(at) ?? [item];
      const text = this.#rules.join(records);
      if (text === undefined) this.#refuseItem(records, origin);
      return text ?? emptyItem;
    });
    return joined.join(this.#rules.separator);
  }
}

function originOf({ index, format, bytes, start, end }: LineBytes): ItemOrigin {
  return { index, format, line: bytes.buffer.toString("utf8", start, end) };
}

type SplitsExactly = (text: string, ends: readonly number[]) => boolean;

/**
 * Reports whether a chunk of joined items, one record each, is split at the ends of the items and nowhere else.
 * Searching whole chunks avoids flattening the text of each record, which V8 keeps as a tree while it is concatenated.
 */
function compileSplitsExactly({ separator, recordSeparator }: ContentSeparators): SplitsExactly {
  const findRecordEnd = compileFind(recordSeparator);
  if (separator === undefined) {
    const joinsAlone = compileJoin(undefined, recordSeparator);
    return (text) => joinsAlone([text]) === text;
  }
  const find = compileFind(separator);
  const recordHeads = overlappingHeads(recordSeparator);
  return (text, ends) => {
    if (recordHeads.length > 0 || findRecordEnd(text, 0) >= 0) return false;
    let at = 0;
    for (let item = 0; item < ends.length; item++) {
      const found = find(text, at);
      const end = ends[item]!;
      if (found !== end && !(found < 0 && end === text.length)) return false;
      at = end + separator.length;
    }
    return true;
  };
}
