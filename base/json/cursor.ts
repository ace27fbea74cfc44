import { closeArray, closeObject, colon, comma, openArray, openObject, quote } from "./bytes.ts";
import type { DuplicateKeys } from "./duplicate-keys.ts";
import { describeByte, JsonFault } from "./fault.ts";
import { JsonTokens } from "./tokens.ts";
import { asBuffer, decodeString, requireUtf8, textStart } from "./utf8.ts";

export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** `more`: the value continues at or after the byte to stop at. */
export type Progress = "end" | "more" | "fault";

/**
 * Walks over a JSON text (RFC 8259, the whole grammar) without building values,
 * in linear time and without recursion. The text must be UTF-8, see `requireUtf8`.
 *
 * `at` is the first byte of a value when a method that reads a value is called,
 * and the byte after the value when it returns. Members of an object are read with
 *
 *     for (let more = cursor.firstKey(); more; more = cursor.nextKey()) { … }
 *
 * where the body reads the member's value; items of an array likewise. All
 * methods throw JsonFault, except for `scan`, which returns "fault".
 */
export class JsonCursor extends JsonTokens {
  /** The first byte of the last value or key. After a fault it is the one that is wrong. */
  tokenStart = 0;
  /** The text of the last key, without its quotes. */
  keyStart = 0;
  keyEnd = 0;
  /** True if the last key contains a backslash. */
  keyEscaped = false;
  /** Objects and arrays around `at`. After a fault it can be reset, to continue after the faulty value. */
  depth = 0;
  /** The largest `depth` so far. */
  deepest = 0;
  readonly #maxDepth: number;
  readonly #duplicates: DuplicateKeys | undefined;
  /** The byte that closes each open object and array. */
  readonly #closers: number[] = [];
  /** The depth at which the value began that `scan` has not read to its end; −1 without one. */
  #floor = -1;

  /**
   * @param maxDepth objects and arrays within each other
   * @param duplicates collects keys that an object has twice
   */
  constructor(bytes: Uint8Array, maxDepth: number, duplicates?: DuplicateKeys) {
    super(bytes);
    this.#maxDepth = maxDepth;
    this.#duplicates = duplicates;
  }

  /** Requires that only spaces follow. */
  finish(): void {
    if (this.next() !== -1) throw this.#fault("the end of the text");
  }

  /** Reads any value. `at` must not be at a space. */
  value(): JsonKind {
    const first = this.at < this.end ? this.bytes[this.at]! : -1;
    const isRead = first === quote ? this.takeString() : this.scan() === "end";
    if (!isRead) throw this.#fault();
    return kindOf(first);
  }

  /**
   * Reads any value, or continues the one that the last call left unfinished,
   * up to its end or to about the byte `stop`.
   */
  scan(stop: number = Number.POSITIVE_INFINITY): Progress {
    const floor = this.#floor === -1 ? this.depth : this.#floor;
    this.#floor = -1;
    for (;;) {
      if (this.at >= stop && this.at < this.end) {
        this.#floor = floor;
        return "more";
      }
      const byte = this.at < this.end ? this.bytes[this.at]! : -1;
      this.tokenStart = this.at;
      if (byte === quote) {
        if (!this.takeString()) return "fault";
      } else if (byte === openObject) {
        if (!this.#enter(closeObject)) return "fault";
        if (this.next() !== closeObject) {
          if (!this.#key('a key or "}"')) return "fault";
          continue;
        }
        this.#leave();
      } else if (byte === openArray) {
        if (!this.#enter(closeArray)) return "fault";
        if (this.next() !== closeArray) continue;
        this.#leave();
      } else if (!this.takePlain(byte)) return "fault";
      if (this.depth === floor) return "end";
      if (!this.#goOn(floor)) return "fault";
      if (this.depth === floor) return "end";
    }
  }

  /** Closes the arrays and objects that end after a value. Returns false at a fault. */
  #goOn(floor: number): boolean {
    while (this.depth > floor) {
      const closer = this.#closers[this.depth - 1]!;
      const byte = this.next();
      if (byte === comma) return this.#afterComma(closer === closeObject);
      if (byte !== closer) {
        this.tokenStart = this.at;
        return this.expect(closer === closeObject ? '"," or "}"' : '"," or "]"');
      }
      this.#leave();
    }
    return true;
  }

  #afterComma(isObject: boolean): boolean {
    this.at++;
    this.next();
    return !isObject || this.#key("a key");
  }

  /** Enters the object that begins here. Leaves it and returns false if it is empty. */
  firstKey(): boolean {
    if (!this.#enter(closeObject)) throw this.#fault();
    if (this.next() === closeObject) return this.#leave();
    if (!this.#key('a key or "}"')) throw this.#fault();
    return true;
  }

  /** Moves to the value of the next member. Returns false if the object ends here. */
  nextKey(): boolean {
    const byte = this.next();
    if (byte === closeObject) return this.#leave();
    if (byte !== comma) throw this.#fault('"," or "}"');
    if (!this.#afterComma(true)) throw this.#fault();
    return true;
  }

  firstItem(): boolean {
    if (!this.#enter(closeArray)) throw this.#fault();
    return this.next() === closeArray ? this.#leave() : true;
  }

  nextItem(): boolean {
    const byte = this.next();
    if (byte === closeArray) return this.#leave();
    if (byte !== comma) throw this.#fault('"," or "]"');
    return this.#afterComma(false);
  }

  string(): void {
    if (!this.takeString()) throw this.#fault();
  }

  /** Returns the last key, decoded. */
  key(): string {
    return decodeString(asBuffer(this.bytes), this.keyStart, this.keyEnd, this.keyEscaped);
  }

  /** Reports whether the last key is `name`, which is ASCII. */
  keyIs(name: string): boolean {
    if (this.keyEscaped) return this.key() === name;
    return this.keyEnd - this.keyStart === name.length && this.#keyBeginsWith(name);
  }

  keyStartsWith(prefix: string): boolean {
    if (this.keyEscaped) return this.key().startsWith(prefix);
    return this.keyEnd - this.keyStart >= prefix.length && this.#keyBeginsWith(prefix);
  }

  #keyBeginsWith(name: string): boolean {
    const { bytes, keyStart } = this;
    for (let at = 0; at < name.length; at++) {
      if (bytes[keyStart + at] !== name.charCodeAt(at)) return false;
    }
    return true;
  }

  #fault(expected = this.expected): JsonFault {
    const { bytes, at } = this;
    if (expected === "") return new JsonFault(`nested deeper than ${this.#maxDepth} levels`, bytes, at);
    return new JsonFault(`expected ${expected}, found ${describeByte(bytes, at)}`, bytes, at);
  }

  #enter(closer: number): boolean {
    // An empty expectation means that the fault is the depth.
    if (this.depth >= this.#maxDepth) return this.expect("");
    this.#closers[this.depth++] = closer;
    if (this.depth > this.deepest) this.deepest = this.depth;
    if (closer === closeObject) this.#duplicates?.enter();
    this.at++;
    return true;
  }

  #leave(): false {
    if (this.#closers[--this.depth] === closeObject) this.#duplicates?.leave();
    this.at++;
    return false;
  }

  #key(expected: string): boolean {
    this.tokenStart = this.at;
    if (this.at >= this.end || this.bytes[this.at] !== quote) return this.expect(expected);
    this.keyStart = this.at + 1;
    if (!this.takeString()) return false;
    this.keyEnd = this.at - 1;
    this.keyEscaped = this.escaped;
    this.#duplicates?.add(this.keyStart, this.keyEnd, this.escaped);
    if (this.next() !== colon) return this.expect('":"');
    this.at++;
    this.next();
    return true;
  }
}

/** Returns the kind of the value that begins with this byte. */
function kindOf(first: number): JsonKind {
  switch (first) {
    case quote:
      return "string";
    case openObject:
      return "object";
    case openArray:
      return "array";
    case 0x74:
    case 0x66:
      return "boolean";
    default:
      return first === 0x6e ? "null" : "number";
  }
}

/** A value and its half-open range of bytes, without spaces and a byte order mark around it. */
export interface JsonSpan {
  readonly kind: JsonKind;
  readonly start: number;
  readonly end: number;
}

/** Reads a text that is one JSON value. @throws JsonFault */
export function readValue(bytes: Uint8Array, maxDepth: number): JsonSpan {
  requireUtf8(bytes);
  const cursor = new JsonCursor(bytes, maxDepth);
  cursor.at = textStart(bytes);
  cursor.next();
  const start = cursor.at;
  const kind = cursor.value();
  const end = cursor.at;
  cursor.finish();
  return { kind, start, end };
}
