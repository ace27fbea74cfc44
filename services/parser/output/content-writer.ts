import { ByteSink, type Bytes, chunkCharacters } from "../../../base/bytes/byte-sink.ts";
import type { LineCopying } from "../line/line.ts";
import { latin1Of } from "../line/segment.ts";
import { compileJoin, emptyItem, type JoinRecords } from "./join-records.ts";
import {
  type ContentSeparators,
  compileCopiesNoSeparator,
  compileSplitsExactly,
  isNeverCopied,
  type SplitsExactly,
} from "./splits-exactly.ts";

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
  /** Whether it contains no separator of items, if it is JSON. */
  readonly isSplit: boolean;
}

/**
 * Writes the content of a response such that splitting it at the separators gives exactly the items that were added.
 */
export interface ContentWriter {
  add(records: readonly string[], origin: ItemOrigin): void;
  addEmpty(): void;
  /** Adds the one record of a line by copying it; returns false and adds nothing when the line cannot be copied. */
  copy(line: LineBytes, copied: LineCopying): boolean;
  count(): number;
  /** Returns the content. `end` is written after the last item. */
  finish(end: string): Uint8Array<ArrayBuffer>;
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
  readonly copiesNoSeparator: (copied: LineCopying) => boolean;
  /** The separator of records, unless no line that is copied can have it. */
  readonly searched: Buffer | undefined;
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
    copiesNoSeparator: compileCopiesNoSeparator(separators),
    searched: isNeverCopied(recordSeparator) ? undefined : Buffer.from(recordSeparator),
  };
  return (expectedBytes, refuseItem) => new ChunkedContentWriter(rules, expectedBytes, refuseItem);
}

/** What a chunk holds. */
type ChunkKind =
  /** Texts, which are written and searched for separators when it is closed. */
  | "texts"
  /** Copied lines, which are written when they are added, and searched when it is closed. */
  | "copies"
  /** Copied lines that cannot contain a separator. */
  | "split copies";

/** Writes items chunk by chunk. */
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
  #kind: ChunkKind | undefined;
  #copies: LineBytes[] = [];
  /** Offset in the sink at which the chunk begins. */
  #from = 0;
  /** Ends of the chunk's items, relative to its start: in characters for texts, in bytes for copies. */
  #ends: number[] = [];
  #nextStart = 0;
  /** The kind of the chunk that a copy is for, and the offset at which it begins. */
  #opening: ChunkKind = "copies";
  #opened = -1;
  /** The last bytes that were searched for separators of records. */
  #searched: Bytes | undefined;
  #isSearchedSplit = false;

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
    this.#leaveChunk("texts");
    if (records.length > 1) {
      this.#several ??= new Map();
      this.#several.set(this.#texts.length, records);
    }
    this.#push(records.length === 1 ? records[0]! : records.join(this.#rules.recordSeparator), origin);
  }

  addEmpty(): void {
    this.#leaveChunk("texts");
    this.#push(emptyItem, undefined);
  }

  copy(line: LineBytes, copied: LineCopying): boolean {
    this.#opened = -1;
    const kind = this.#isSplit(line, copied) ? "split copies" : "copies";
    this.#opening = kind;
    if (!copied.copyLine(line.bytes, line.start, line.end, this.#openSink)) {
      if (this.#opened >= 0) this.#sink.truncate(this.#opened);
      return false;
    }
    this.#kind = kind;
    this.#count++;
    if (kind === "split copies") return true;
    this.#copies.push(line);
    this.#ends.push(this.#sink.length - this.#from);
    return true;
  }

  finish(end: string): Uint8Array<ArrayBuffer> {
    this.#closeChunk(end);
    return this.#sink.finish();
  }

  /** Reports whether the record of a line certainly contains no separator. */
  #isSplit({ isSplit, bytes }: LineBytes, copied: LineCopying): boolean {
    const { copiesNoSeparator, searched } = this.#rules;
    if (!isSplit || !copiesNoSeparator(copied)) return false;
    if (searched === undefined) return true;
    if (bytes !== this.#searched) {
      this.#searched = bytes;
      this.#isSearchedSplit = !bytes.buffer.includes(searched);
    }
    return this.#isSearchedSplit;
  }

  #push(item: string, origin: ItemOrigin | undefined): void {
    this.#kind = "texts";
    this.#texts.push(item);
    this.#origins.push(origin);
    this.#ends.push(this.#nextStart + item.length);
    this.#nextStart += item.length + this.#rules.separator.length;
    this.#count++;
  }

  /** Prepares the sink for a copy. */
  #open(): ByteSink {
    const sink = this.#sink;
    this.#leaveChunk(this.#opening);
    this.#opened = sink.length;
    if (this.#kind !== undefined) sink.text(this.#rules.separator);
    return sink;
  }

  /** Closes the chunk if it is full or of another kind than the next item. */
  #leaveChunk(kind: ChunkKind): void {
    if (this.#kind !== undefined && (this.#kind !== kind || this.#isFull()))
      this.#closeChunk(this.#rules.separator);
  }

  #isFull(): boolean {
    if (this.#kind === "texts") return this.#nextStart > chunkCharacters;
    return this.#kind === "copies" && this.#sink.length - this.#from > chunkCharacters;
  }

  #closeChunk(end: string): void {
    if (this.#kind === "texts") this.#closeTexts(end);
    else if (this.#kind === "copies") this.#closeCopies(end);
    else this.#sink.text(end);
    this.#kind = undefined;
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
