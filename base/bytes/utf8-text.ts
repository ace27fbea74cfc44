import { isAscii } from "node:buffer";
import { type Bytes, bytesOf } from "./byte-sink.ts";

/** Bytes of texts in UTF-8. */
export class Utf8Bytes {
  readonly bytes: Bytes;
  /** All characters; undefined before the first text is read, null when a byte is not a character. */
  #ascii: string | null | undefined;

  constructor(content: Buffer | string) {
    this.bytes = bytesOf(content);
  }

  get length(): number {
    return this.bytes.buffer.length;
  }

  /** Returns the text of a part. Cutting it from all characters takes half the time of decoding it. */
  text(start: number, end: number): string {
    const { buffer } = this.bytes;
    if (this.#ascii === undefined) this.#ascii = isAscii(buffer) ? buffer.toString("latin1") : null;
    return this.#ascii === null ? buffer.toString("utf8", start, end) : this.#ascii.substring(start, end);
  }
}

/** A text as bytes in UTF-8, which are a part of others. */
export class Utf8Text {
  whole: Utf8Bytes;
  start: number;
  end: number;

  constructor(whole: Utf8Bytes, start: number, end: number) {
    this.whole = whole;
    this.start = start;
    this.end = end;
  }

  get bytes(): Bytes {
    return this.whole.bytes;
  }

  toString(): string {
    return this.whole.text(this.start, this.end);
  }
}
