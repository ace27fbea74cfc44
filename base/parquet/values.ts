export type ValueType = "boolean" | "int32" | "int64" | "double" | "text";

const firstBytes = 256;
/** Most bytes of a UTF-16 code unit in UTF-8. */
const maxUnitBytes = 3;
/** Texts up to this length are copied in a loop, which is faster than a call for them. */
const shortText = 64;
const twoTo32 = 2 ** 32;

/** Values of one type in the encoding PLAIN: numbers little-endian, texts after their length, booleans as bits. */
export class Values {
  readonly type: ValueType;
  #bytes = Buffer.allocUnsafeSlow(firstBytes);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  #count = 0;
  #markedLength = 0;
  #markedCount = 0;

  constructor(type: ValueType) {
    this.type = type;
  }

  get count(): number {
    return this.#count;
  }

  /** Remembers the end for `undo`. */
  mark(): void {
    this.#markedLength = this.#length;
    this.#markedCount = this.#count;
  }

  /** Removes the values after the mark. */
  undo(): void {
    this.#length = this.#markedLength;
    this.#count = this.#markedCount;
  }

  /** @throws TypeError when the value is not of the type */
  add(value: unknown): void {
    switch (this.type) {
      case "text":
        if (typeof value !== "string") throw new TypeError(`a ${typeof value} is not a text`);
        this.#addText(value);
        break;
      case "boolean":
        if (typeof value !== "boolean") throw new TypeError(`a ${typeof value} is not a boolean`);
        this.#addBoolean(value);
        break;
      default:
        if (typeof value !== "number") throw new TypeError(`a ${typeof value} is not a number`);
        this.#addNumber(value);
    }
    this.#count++;
  }

  /** Adds a text as its bytes in UTF-8, which are not checked. @throws TypeError when the values are not texts */
  addUtf8(bytes: Uint8Array, start: number, end: number): void {
    if (this.type !== "text") throw new TypeError("a text is not a value of this type");
    const length = end - start;
    this.#reserve(4 + length);
    const from = this.#length + 4;
    const to = this.#bytes;
    if (length <= shortText) for (let at = 0; at < length; at++) to[from + at] = bytes[start + at]!;
    else to.set(bytes.subarray(start, end), from);
    this.#view.setUint32(from - 4, length, true);
    this.#length = from + length;
    this.#count++;
  }

  /** Returns the bytes, and removes all values. The bytes are valid until the next value is added. */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(
      0,
      this.type === "boolean" ? Math.ceil(this.#count / 8) : this.#length,
    );
    this.#length = 0;
    this.#count = 0;
    this.mark();
    return bytes;
  }

  #addText(text: string): void {
    const { length } = text;
    this.#reserve(4 + length * maxUnitBytes);
    const bytes = this.#bytes;
    const start = this.#length + 4;
    let to = start;
    if (length <= shortText) {
      for (let at = 0; at < length; at++) {
        const code = text.charCodeAt(at);
        if (code > 127) break;
        bytes[to++] = code;
      }
    }
    // Lone surrogates become U+FFFD.
    if (to - start < length) to = start + bytes.write(text, start, "utf8");
    this.#view.setUint32(start - 4, to - start, true);
    this.#length = to;
  }

  #addBoolean(value: boolean): void {
    const [at, bit] = [this.#count >> 3, this.#count & 7];
    this.#length = at;
    this.#reserve(1);
    const others = bit === 0 ? 0 : this.#bytes[at]! & ~(1 << bit);
    this.#bytes[at] = others | (Number(value) << bit);
    this.#length = at + 1;
  }

  #addNumber(value: number): void {
    this.#reserve(8);
    const at = this.#length;
    if (this.type === "double") {
      // There is one zero.
      this.#view.setFloat64(at, value + 0, true);
    } else {
      // It takes the value modulo 2^32.
      this.#view.setInt32(at, value, true);
      if (this.type === "int32") {
        this.#length = at + 4;
        return;
      }
      this.#view.setInt32(at + 4, Math.floor(value / twoTo32), true);
    }
    this.#length = at + 8;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const longer = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(longer, 0, 0, this.#length);
    this.#bytes = longer;
    this.#view = new DataView(longer.buffer);
  }
}
