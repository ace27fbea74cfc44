import { type Literal, longWordBytes, wordBytes } from "./literal.ts";

/**
 * Texts are joined to chunks of about this many characters before they are written: joining below V8's large-object
 * size (128 KiB) is 3 times as fast as joining all texts at once.
 */
export const chunkCharacters = 49_152;
/**
 * Copying by words is faster than Buffer.copy up to this length: 14 ns instead of 57 for 32 bytes, 61 instead of 70 for
 * 128.
 */
const maxCopiedByWords = 128;
/** Texts up to this length are written character by character. */
const maxTextByCharacters = 40;
/** A UTF-16 unit takes at most three bytes in UTF-8. */
const maxBytesPerUnit = 3;
/** Buffers up to this size come from Node's pool: allocating them separately costs more than filling them. */
const maxPooledBytes = 2_048;

/** A buffer and a view of the same bytes, which reads several of them at once at any offset. */
export class Bytes {
  readonly buffer: Buffer;
  /** Created on first use: lines that are read as texts do not need it. */
  #view: DataView | undefined;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }

  get view(): DataView {
    this.#view ??= viewOf(this.buffer);
    return this.#view;
  }
}

export function bytesOf(content: Buffer | string): Bytes {
  return new Bytes(typeof content === "string" ? Buffer.from(content) : content);
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** Collects bytes and texts in one buffer, which grows as needed. */
export class ByteSink {
  #bytes: Buffer<ArrayBuffer>;
  /** Created on first use: output of one line may not need it. */
  #view: DataView | undefined;
  #length = 0;

  /** @param expectedBytes a hint */
  constructor(expectedBytes: number) {
    this.#bytes =
      expectedBytes <= maxPooledBytes
        ? (Buffer.allocUnsafe(expectedBytes) as Buffer<ArrayBuffer>)
        : Buffer.allocUnsafeSlow(expectedBytes);
  }

  get length(): number {
    return this.#length;
  }

  copy(source: Bytes, start: number, end: number): void {
    const count = end - start;
    const at = this.#reserve(count);
    if (count > maxCopiedByWords) source.buffer.copy(this.#bytes, at, start, end);
    else if (count >= wordBytes) copyWords(source.view, start, this.#writable(), at, count);
    else for (let index = 0; index < count; index++) this.#bytes[at + index] = source.buffer[start + index]!;
    this.#length = at + count;
  }

  /**
   * Writes literals and parts of a source in turn, beginning and ending with a literal. Whole words are copied, so the
   * source must have seven bytes more after each part.
   */
  interleave(
    literals: readonly Literal[],
    source: DataView,
    starts: readonly number[],
    ends: readonly number[],
  ): void {
    let count = longWordBytes;
    for (let index = 0; index < literals.length; index++) count += literals[index]!.length;
    for (let index = 1; index < literals.length; index++) count += ends[index - 1]! - starts[index - 1]!;
    let at = this.#reserve(count);
    const target = this.#writable();
    for (let index = 0; ; index++) {
      writeWords(target, at, literals[index]!);
      at += literals[index]!.length;
      if (index === literals.length - 1) break;
      const start = starts[index]!;
      const size = ends[index]! - start;
      for (let offset = 0; offset < size; offset += longWordBytes)
        target.setBigInt64(at + offset, source.getBigInt64(start + offset, true), true);
      at += size;
    }
    this.#length = at;
  }

  literal(literal: Literal): void {
    const at = this.#reserve(literal.words.length * longWordBytes);
    writeWords(this.#writable(), at, literal);
    this.#length = at + literal.length;
  }

  byte(value: number): void {
    const at = this.#reserve(1);
    this.#bytes[at] = value;
    this.#length = at + 1;
  }

  /** Replaces a byte that was written before. */
  overwrite(at: number, value: number): void {
    this.#bytes[at] = value;
  }

  text(text: string): void {
    if (text.length <= maxTextByCharacters && this.#ascii(text)) return;
    const at = this.#reserve(text.length * maxBytesPerUnit <= this.#free() ? 0 : Buffer.byteLength(text));
    this.#length = at + this.#bytes.write(text, at, "utf8");
  }

  /** Removes all bytes after this length. */
  truncate(length: number): void {
    this.#length = length;
  }

  latin1(start: number): string {
    return this.#bytes.toString("latin1", start, this.#length);
  }

  utf8(start: number, end: number): string {
    return this.#bytes.toString("utf8", start, end);
  }

  /** Returns all bytes and ends the use of this sink. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Writes a text of ASCII characters; returns false and writes nothing for other texts. */
  #ascii(text: string): boolean {
    const at = this.#reserve(text.length);
    const bytes = this.#bytes;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) return false;
      bytes[at + index] = code;
    }
    this.#length = at + text.length;
    return true;
  }

  #writable(): DataView {
    this.#view ??= viewOf(this.#bytes);
    return this.#view;
  }

  #free(): number {
    return this.#bytes.length - this.#length;
  }

  /** Reserves space for `count` bytes and returns its offset. */
  #reserve(count: number): number {
    if (count > this.#free()) this.#grow(this.#length + count);
    return this.#length;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#view = undefined;
  }
}

/** Writes a literal and the zeros after it. */
function writeWords(target: DataView, at: number, { words }: Literal): void {
  for (let word = 0; word < words.length; word++)
    target.setBigInt64(at + word * longWordBytes, words[word]!, true);
}

/** Copies four bytes at once; the last word may overlap the word before it. */
function copyWords(source: DataView, start: number, target: DataView, at: number, count: number): void {
  const last = count - wordBytes;
  for (let offset = 0; offset < last; offset += wordBytes) {
    target.setInt32(at + offset, source.getInt32(start + offset, true), true);
  }
  target.setInt32(at + last, source.getInt32(start + last, true), true);
}
