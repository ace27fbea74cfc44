import type { Bytes } from "./byte-sink.ts";

/** A text as bytes in UTF-8, which are a part of others. */
export class Utf8Text {
  bytes: Bytes;
  start: number;
  end: number;

  constructor(bytes: Bytes, start: number, end: number) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  toString(): string {
    return this.bytes.buffer.toString("utf8", this.start, this.end);
  }
}
