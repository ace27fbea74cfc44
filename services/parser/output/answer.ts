import type { CopyLine } from "../line/line.ts";
import { compileFind, overlappingHeads } from "../line/separators.ts";
import { needleOf } from "../line/window.ts";
import { ByteSink, type Bytes } from "./byte-sink.ts";
import { compileJoin, emptyItem, type JoinRecords } from "./join-records.ts";
import { CHUNK_CHARACTERS } from "./output.ts";

/** What an item was made from, should its records turn out not to fit into an answer. */
export interface ItemOrigin {
  readonly index: string | undefined;
  readonly line: string;
  readonly format: string | undefined;
}

/** A line in its content. */
export interface LineBytes {
  readonly index: string;
  readonly format: string;
  readonly bytes: Bytes;
  readonly start: number;
  readonly end: number;
}

/** Puts the items of an answer together so that splitting it gives exactly them back. */
export interface Answer {
  add(records: readonly string[], origin: ItemOrigin): void;
  addEmpty(): void;
  /** Lets the one record of a line be written in its place; false, with nothing added, if it can't be. */
  copy(line: LineBytes, copyLine: CopyLine): boolean;
  count(): number;
  /** `end` follows the last item. */
  finish(end: string): Uint8Array<ArrayBuffer>;
}

/** `separator` is undefined where an answer is a single item. */
export interface AnswerShape {
  readonly separator: string | undefined;
  readonly recordSeparator: string;
}

/** Told of items answered `{}` because a separator stands in their records where it can't be escaped. */
export type RefuseItem = (records: readonly string[], origin: ItemOrigin) => void;

interface Rules {
  readonly separator: string;
  readonly recordSeparator: string;
  readonly join: JoinRecords;
  readonly isFaithful: IsFaithful;
  /** For a text whose characters are the bytes of the chunk. */
  readonly areBytesFaithful: IsFaithful;
}

export function compileAnswer(shape: AnswerShape): (expectedBytes: number, refuseItem: RefuseItem) => Answer {
  const { separator, recordSeparator } = shape;
  const rules: Rules = {
    separator: separator ?? "",
    recordSeparator,
    join: compileJoin(separator, recordSeparator),
    isFaithful: compileIsFaithful(shape),
    areBytesFaithful: compileIsFaithful({
      separator: separator === undefined ? undefined : needleOf(separator),
      recordSeparator: needleOf(recordSeparator),
    }),
  };
  return (expectedBytes, refuseItem) => new ChunkedAnswer(rules, expectedBytes, refuseItem);
}

/**
 * Items are put together chunk by chunk. A chunk holds either texts, which are written when it is closed, or copied
 * lines, which are written already.
 */
class ChunkedAnswer implements Answer {
  readonly #rules: Rules;
  readonly #refuseItem: RefuseItem;
  readonly #sink: ByteSink;
  readonly #openSink = (): ByteSink => this.#open();
  #count = 0;
  #texts: string[] = [];
  #origins: (ItemOrigin | undefined)[] = [];
  /** By item, for those that have several records. */
  #many: Map<number, readonly string[]> | undefined;
  #copies: LineBytes[] = [];
  /** Where the chunk begins in the sink. */
  #from = 0;
  /** Where its items end, counted from its begin: in characters for texts, in bytes for copies. */
  #ends: number[] = [];
  #nextStart = 0;
  #opened = -1;

  constructor(rules: Rules, expectedBytes: number, refuseItem: RefuseItem) {
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
      this.#many ??= new Map();
      this.#many.set(this.#texts.length, records);
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
    if (this.#copies.length > 0 || this.#nextStart > CHUNK_CHARACTERS)
      this.#closeChunk(this.#rules.separator);
  }

  #push(item: string, origin: ItemOrigin | undefined): void {
    this.#texts.push(item);
    this.#origins.push(origin);
    this.#ends.push(this.#nextStart + item.length);
    this.#nextStart += item.length + this.#rules.separator.length;
    this.#count++;
  }

  /** Makes the sink ready for a copy. */
  #open(): ByteSink {
    const sink = this.#sink;
    const isFull = sink.length - this.#from > CHUNK_CHARACTERS;
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
    const { separator, isFaithful } = this.#rules;
    const text = this.#texts.join(separator) + end;
    const isSimple = this.#many === undefined && isFaithful(text, this.#ends);
    this.#sink.text(isSimple ? text : this.#rejoin(this.#texts, (item) => this.#origins[item]) + end);
    this.#texts = [];
    this.#origins = [];
    this.#many = undefined;
    this.#nextStart = 0;
  }

  /** When they can't stay as they are, they are taken out again and put in as texts. */
  #closeCopies(end: string): void {
    const from = this.#from;
    const { separator, areBytesFaithful } = this.#rules;
    if (areBytesFaithful(this.#sink.latin1(from) + needleOf(end), this.#ends)) this.#sink.text(end);
    else {
      const separatorBytes = Buffer.byteLength(separator);
      const startOf = (item: number): number => (item === 0 ? 0 : this.#ends[item - 1]! + separatorBytes);
      const records = this.#ends.map((to, item) => this.#sink.utf8(from + startOf(item), from + to));
      this.#sink.truncate(from);
      this.#sink.text(this.#rejoin(records, (item) => originOf(this.#copies[item]!)) + end);
    }
    this.#copies = [];
  }

  /** Item by item, escaping what has to be. */
  #rejoin(items: readonly string[], origins: (item: number) => ItemOrigin | undefined): string {
    const joined = items.map((item, at) => {
      const origin = origins(at);
      if (origin === undefined) return item;
      const records = this.#many?.get(at) ?? [item];
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

type IsFaithful = (text: string, ends: readonly number[]) => boolean;

/**
 * Whether a chunk of joined items, one record each, is split at the ends of the items and nowhere else. Looking at
 * whole chunks spares making one flat text of each record, which V8 keeps as a tree while it is put together.
 */
function compileIsFaithful({ separator, recordSeparator }: AnswerShape): IsFaithful {
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
