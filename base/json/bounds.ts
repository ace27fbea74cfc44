import {
  backslash,
  classOf,
  closeArray,
  closeObject,
  colon,
  comma,
  isSpace,
  openArray,
  openObject,
  quote,
} from "./bytes.ts";
import { asBuffer } from "./utf8.ts";

/** The largest JSON text that is accepted. Each bound is the largest number allowed. */
export interface JsonBounds {
  /** The nesting of objects and arrays. */
  readonly depth: number;
  /** Members of one object. */
  readonly members: number;
  /** Elements of one array. */
  readonly elements: number;
  /** Members of all objects together. */
  readonly keys: number;
  /** Bytes of one key in the text, escapes included, without its quotes. */
  readonly keyBytes: number;
  /** Values of any kind together: scalars, arrays and objects. */
  readonly values: number;
  /**
   * Numbers of 16 characters or more, or with an exponent, which readers of exact numbers keep as strings of digits.
   */
  readonly longNumbers: number;
}

/** What a text is known to exceed after it was scanned. */
export interface ScannedJson {
  readonly excess: JsonExcess | undefined;
}

/** The first bound that a text exceeds. */
export interface JsonExcess {
  readonly bound: keyof JsonBounds;
  readonly max: number;
  /** Offset of the byte at which the bound is exceeded. */
  readonly byte: number;
}

/** Texts of at most this size can't hold many values, so they are not scanned. */
export const unscannedBytes = 4_096;

const nine = 0x39;
const letterE = 0x65;
const longNumberBytes = 16;
/** The rest of a longer string is searched by the engine, whose search for a byte is slow to start. */
const stepBytes = 64;

/** The kinds of bytes outside of strings. */
const spacing = 0;
const other = 1;
const text = 2;
const open = 3;
const close = 4;
const afterKey = 5;
const afterValue = 6;

const kinds = Uint8Array.from(classOf, (bits) => ((bits & isSpace) === 0 ? other : spacing));
kinds[quote] = text;
kinds[openArray] = open;
kinds[openObject] = open;
kinds[closeArray] = close;
kinds[closeObject] = close;
kinds[colon] = afterKey;
kinds[comma] = afterValue;

/**
 * Returns the first bound that a JSON text in UTF-8 exceeds; undefined if it
 * keeps them all, or has at most `unscannedBytes`. It takes linear time and
 * allocates no objects, so it can run before `JSON.parse` allocates any: a few
 * bytes of compressed text may stand for millions of values. It does not check
 * the grammar. For a text that is not JSON the result has no meaning.
 */
export function findJsonExcess(bytes: Uint8Array, bounds: JsonBounds): JsonExcess | undefined {
  if (bytes.length <= unscannedBytes) return undefined;
  return scan(asBuffer(bytes), bounds, startOf(bounds), bytes.length);
}

/** Scans a text as it arrives, each byte once. */
export class JsonBoundsScan {
  readonly #bounds: JsonBounds;
  readonly #state: ScanState;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
    this.#state = startOf(bounds);
  }

  /**
   * Continues to the end of `bytes`.
   * @param bytes the text from its beginning, as far as it has arrived
   */
  advance(bytes: Uint8Array): JsonExcess | undefined {
    return scan(asBuffer(bytes), this.#bounds, this.#state, bytes.length, false);
  }

  /** Ends the scan. @param bytes the whole text */
  finish(bytes: Uint8Array): JsonExcess | undefined {
    return scan(asBuffer(bytes), this.#bounds, this.#state, bytes.length);
  }
}

/**
 * Describes the excess by one clause without a full stop: `an array has more than 10 elements (limit "elements") at
 * byte 21`.
 */
export function describeJsonExcess({ bound, max, byte }: JsonExcess): string {
  return `${phrases[bound](max)} (limit "${bound}") at byte ${byte}`;
}

const phrases: Readonly<Record<keyof JsonBounds, (max: number) => string>> = {
  depth: (max) => `the JSON is nested deeper than ${max} levels`,
  members: (max) => `an object has more than ${max} members`,
  elements: (max) => `an array has more than ${max} elements`,
  keys: (max) => `the objects have more than ${max} members together`,
  keyBytes: (max) => `a key is longer than ${max} bytes`,
  values: (max) => `the JSON holds more than ${max} values`,
  longNumbers: (max) => `the JSON holds more than ${max} numbers of ${longNumberBytes} or more digits`,
};

/** A scan that has stopped between two tokens, or within one that is not complete. */
interface ScanState {
  /** The numbers that may still follow. A key counts as a value too, until its colon is read. */
  values: number;
  keys: number;
  longNumbers: number;
  /** The number of elements that may still follow the first, for each open array; −1 for each open object. */
  readonly elements: number[];
  /** The number of members that may still follow, for each open object. */
  readonly members: number[];
  depth: number;
  stringStart: number;
  scalarStart: number;
  /** The kind of the token that is not complete; `spacing` between two tokens. */
  within: typeof spacing | typeof text | typeof other;
  at: number;
}

function startOf({ values, keys, longNumbers, members }: JsonBounds): ScanState {
  const counts = { values, keys, longNumbers, elements: [-1], members: [members] };
  return { ...counts, depth: 0, stringStart: 0, scalarStart: 0, within: spacing, at: 0 };
}

/**
 * Scans to the first token at or after `to`. It is one function over local variables, because with properties of an
 * object it takes longer than JSON.parse.
 * @param isWhole whether no more bytes follow
 */
function scan(
  bytes: Buffer,
  bounds: JsonBounds,
  state: ScanState,
  to: number,
  isWhole = true,
): JsonExcess | undefined {
  const excess = (bound: keyof JsonBounds, byte: number): JsonExcess => ({ bound, max: bounds[bound], byte });
  if (state.within !== spacing && !completeToken(bytes, state, isWhole)) return undefined;
  let { values, keys, longNumbers, depth, stringStart, scalarStart, within, at } = state;
  const { elements, members } = state;
  if (within === other && isLong(bytes, scalarStart, at) && --longNumbers < 0)
    return excess("longNumbers", scalarStart);
  within = spacing;
  while (at < to) {
    const byte = bytes[at]!;
    const kind = kinds[byte];
    if (kind === text) {
      if (--values < -1) return excess("values", at);
      stringStart = at + 1;
      at = endOfString(bytes, stringStart);
      if (at === bytes.length && !isWhole) {
        within = text;
        at = resumeOfString(bytes, stringStart);
        break;
      }
      at++;
    } else if (kind === afterValue) {
      if (values < 0) return excess("values", stringStart - 1);
      if (elements[depth] === 0) return excess("elements", at);
      elements[depth]!--;
      at++;
    } else if (kind === afterKey) {
      values++;
      if (at - stringStart > bounds.keyBytes && lengthOfKey(bytes, stringStart, at) > bounds.keyBytes)
        return excess("keyBytes", stringStart);
      if (--keys < 0) return excess("keys", stringStart);
      if (--members[depth]! < 0) return excess("members", stringStart);
      at++;
    } else if (kind === other) {
      if (--values < 0) return excess("values", at);
      scalarStart = at;
      at = endOfScalar(bytes, at + 1);
      if (at === bytes.length && !isWhole) {
        within = other;
        break;
      }
      if (isLong(bytes, scalarStart, at) && --longNumbers < 0) return excess("longNumbers", scalarStart);
    } else if (kind === open) {
      if (--values < 0) return excess("values", at);
      if (++depth > bounds.depth) return excess("depth", at);
      elements[depth] = byte === openArray ? bounds.elements - 1 : -1;
      members[depth] = bounds.members;
      at++;
    } else {
      if (kind === close) {
        if (values < 0) return excess("values", stringStart - 1);
        if (depth > 0) depth--;
      }
      at++;
    }
  }
  Object.assign(state, { values, keys, longNumbers, depth, stringStart, scalarStart, within, at });
  return undefined;
}

/** Moves to the end of the token in which the scan has stopped; returns false if that has not arrived. */
function completeToken(bytes: Buffer, state: ScanState, isWhole: boolean): boolean {
  const from = state.at;
  const isString = state.within === text;
  state.at = isString ? endOfString(bytes, from) : endOfScalar(bytes, from);
  if (state.at < bytes.length || isWhole) {
    if (isString) state.at++;
    return true;
  }
  if (isString) state.at = resumeOfString(bytes, from);
  return false;
}

/** Returns where the search for the end of a string goes on: before a backslash whose escaped byte has not arrived. */
function resumeOfString(bytes: Buffer, from: number): number {
  let start = bytes.length;
  while (start > from && bytes[start - 1] === backslash) start--;
  return bytes.length - ((bytes.length - start) % 2);
}

function lengthOfKey(bytes: Buffer, start: number, end: number): number {
  let at = end;
  while (at > start && bytes[at] !== quote) at--;
  return at - start;
}

function endOfScalar(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && kinds[bytes[at]!] === other) at++;
  return at;
}

/** Reports whether readers of exact numbers keep this number as a string of digits. */
function isLong(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start]! > nine) return false;
  if (end - start >= longNumberBytes) return true;
  for (let at = start; at < end; at++) if ((bytes[at]! | 0x20) === letterE) return true;
  return false;
}

/** Returns the offset of the quote that ends the string whose first byte is at `from`, or the length of the text. */
function endOfString(bytes: Buffer, from: number): number {
  const end = bytes.length;
  let at = from;
  for (;;) {
    for (const stop = Math.min(end, at + stepBytes); at < stop; at++) {
      const byte = bytes[at];
      if (byte === quote) return at;
      if (byte === backslash) at++;
    }
    if (at >= end) return end;
    const found = bytes.indexOf(quote, at);
    if (found === -1) return end;
    let backslashes = 0;
    while (found - backslashes > at && bytes[found - backslashes - 1] === backslash) backslashes++;
    if (backslashes % 2 === 0) return found;
    at = found + 1;
  }
}
