import { closeSync, openSync, writeSync } from "node:fs";

const firstBytes = 16_384;
/** Buffered bytes after which the file is written. */
const pieceBytes = 262_144;
/** Most bytes of a character in JSON: `\u0000`. */
const maxCharacterBytes = 6;
const quote = 34;
const backslash = 92;
const lf = 10;
const zero = 48;
/** Whole numbers below this value are written digit by digit. */
const maxDigits = 1e15;
/** Integers up to this one are divided as 32-bit integers. */
const maxSmall = 2 ** 30;

/**
 * A file of JSON lines, created at the end of the first line. It writes bytes directly, which takes a third of the time
 * of joining and encoding strings.
 */
export class RowFile {
  readonly path: string;
  #bytes = Buffer.allocUnsafe(firstBytes);
  #length = 0;
  #lineStart = 0;
  #count = 0;
  #file: number | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** Number of lines. */
  get count(): number {
    return this.#count;
  }

  /** Writes ASCII text. */
  raw(text: string): void {
    const { length } = text;
    this.#reserve(length);
    const bytes = this.#bytes;
    let to = this.#length;
    for (let at = 0; at < length; at++) bytes[to++] = text.charCodeAt(at);
    this.#length = to;
  }

  number(value: number): void {
    if (value >= 0 && value < maxDigits && Number.isInteger(value)) this.#integer(value);
    else this.raw(String(value));
  }

  /** Writes an integer, twice as fast as `String` does. */
  #integer(value: number): void {
    let length = 1;
    for (let bound = 10; value >= bound; bound *= 10) length++;
    this.#reserve(length);
    const bytes = this.#bytes;
    let to = this.#length + length;
    this.#length = to;
    let rest = value;
    while (rest > maxSmall) {
      const tens = Math.floor(rest / 10);
      bytes[--to] = zero + (rest - tens * 10);
      rest = tens;
    }
    for (let small = rest | 0; to > this.#length - length; ) {
      const tens = (small / 10) | 0;
      bytes[--to] = zero + (small - tens * 10);
      small = tens;
    }
  }

  /** Writes a JSON string. */
  text(text: string): void {
    const { length } = text;
    this.#reserve(length * maxCharacterBytes + 2);
    const bytes = this.#bytes;
    let to = this.#length;
    bytes[to++] = quote;
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code < 32 || code > 126 || code === quote || code === backslash) {
        this.#length += bytes.write(toJson(text), this.#length);
        return;
      }
      bytes[to++] = code;
    }
    bytes[to++] = quote;
    this.#length = to;
  }

  endLine(): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = lf;
    this.#count++;
    if (this.#length > pieceBytes) this.#flush();
    this.#lineStart = this.#length;
  }

  /** Removes the bytes of an unfinished line. */
  undoLine(): void {
    this.#length = this.#lineStart;
  }

  /** Writes the rest and closes the file. It is not synced, since it is created again after a crash. */
  close(): void {
    if (this.#length > 0) this.#flush();
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** Closes the file without writing the rest. An open file would occupy disk space even after its removal. */
  abandon(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const longer = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(longer, 0, 0, this.#length);
    this.#bytes = longer;
  }

  #flush(): void {
    this.#file ??= openSync(this.path, "w", 0o600);
    for (let offset = 0; offset < this.#length; ) {
      offset += writeSync(this.#file, this.#bytes, offset, this.#length - offset);
    }
    this.#length = 0;
  }
}

/** Writes JSON without lone surrogates, which engines refuse. */
function toJson(text: string): string {
  return JSON.stringify(text.isWellFormed() ? text : text.toWellFormed());
}
