import { backslash, classOf, dot, isDigit, isSpace, minus, quote, space, zero } from "./bytes.ts";

/**
 * Reads the tokens of a JSON text: strings, numbers and literals. The methods
 * that read one return false at a fault, with `at` at the byte that is wrong.
 */
export class JsonTokens {
  at = 0;
  /** True if the last string contains a backslash. */
  escaped = false;
  readonly bytes: Uint8Array;
  protected readonly end: number;
  /** The token that was expected at `at`, after a fault. */
  protected expected = "";

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.end = bytes.length;
  }

  /** Skips spaces and line ends. Returns the byte after them, or −1 at the end. */
  next(): number {
    const { bytes } = this;
    const end = this.end;
    let at = this.at;
    // Most texts hold no spaces between their values.
    if (at < end && bytes[at]! > space) return bytes[at]!;
    while (at < end && (classOf[bytes[at]!]! & isSpace) !== 0) at++;
    this.at = at;
    return at < end ? bytes[at]! : -1;
  }

  /** Notes a fault. */
  protected expect(expected: string): false {
    this.expected = expected;
    return false;
  }

  /** Reads the string that begins here. */
  protected takeString(): boolean {
    const { bytes } = this;
    const end = this.end;
    let at = this.at + 1;
    this.escaped = false;
    while (at < end) {
      let byte = bytes[at]!;
      // Most bytes are greater than a quote. Comparing them is faster than looking up what they are.
      while (byte > quote && byte !== backslash && ++at < end) byte = bytes[at]!;
      if (at === end) break;
      if (byte === quote) {
        this.at = at + 1;
        return true;
      }
      if (byte === backslash) {
        this.at = at;
        this.escaped = true;
        if (!this.#takeEscape()) return false;
        at = this.at;
      } else if (byte < space) {
        this.at = at;
        return this.expect("an escape in place of a control character");
      } else at++;
    }
    this.at = at;
    return this.expect("the closing quote of a string");
  }

  #takeEscape(): boolean {
    const { bytes } = this;
    const letter = bytes[++this.at];
    if (letter === 0x75 /* u */) {
      for (let digits = 0; digits < 4; digits++) {
        const digit = bytes[++this.at];
        if (digit === undefined || !isHex(digit)) return this.expect("four hexadecimal digits");
      }
    } else if (letter === undefined || !escapable.has(letter)) {
      return this.expect('one of "\\/bfnrtu after a backslash');
    }
    this.at++;
    return true;
  }

  /** Reads a number, true, false or null. */
  protected takePlain(first: number): boolean {
    if (first === minus || (first !== -1 && (classOf[first]! & isDigit) !== 0)) return this.#takeNumber();
    const literal = literals.get(first);
    if (literal === undefined) return this.expect("a value");
    for (let offset = 0; offset < literal.length; offset++, this.at++) {
      if (this.bytes[this.at] !== literal.charCodeAt(offset)) return this.expect(`"${literal}"`);
    }
    return true;
  }

  #takeNumber(): boolean {
    const { bytes } = this;
    if (bytes[this.at] === minus) this.at++;
    if (bytes[this.at] === zero) this.at++;
    else if (!this.#takeDigits()) return false;
    if (bytes[this.at] === dot) {
      this.at++;
      if (!this.#takeDigits()) return false;
    }
    const letter = bytes[this.at];
    if (letter !== 0x65 && letter !== 0x45 /* e, E */) return true;
    const sign = bytes[++this.at];
    if (sign === minus || sign === 0x2b /* + */) this.at++;
    return this.#takeDigits();
  }

  #takeDigits(): boolean {
    const { bytes } = this;
    const end = this.end;
    const start = this.at;
    let at = start;
    while (at < end && (classOf[bytes[at]!]! & isDigit) !== 0) at++;
    this.at = at;
    return at > start || this.expect("a digit");
  }
}

const literals: ReadonlyMap<number, string> = new Map(
  ["true", "false", "null"].map((literal) => [literal.charCodeAt(0), literal]),
);

const escapable: ReadonlySet<number> = new Set([...'"\\/bfnrt'].map((letter) => letter.charCodeAt(0)));

function isHex(byte: number): boolean {
  return (classOf[byte]! & isDigit) !== 0 || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
