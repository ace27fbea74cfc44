import { randomUUID } from "node:crypto";
import type { JsonValue } from "@bufbuild/protobuf";

/** A JSON number that a double can't hold: its digits as they were written. */
export class BigNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

/** A number that JSON.stringify prints as it was written: what JSON.rawJSON returns. */
export interface RawNumber {
  readonly rawJSON: string;
}

/** Standard in the engine, not yet in the compiler's library: https://tc39.es/proposal-json-parse-with-source/ */
const engine = JSON as unknown as {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

export const rawNumber = engine.rawJSON;
export const isRawNumber = engine.isRawJSON;

/** Returns the value for a number beyond 2^53, or beyond the range of doubles, from its digits. */
export type ValueOfDigits = (digits: string) => unknown;

/** A text without a match holds no number beyond 2^53. */
const bigNumber = /\d{16}|\d[eE]/;

/**
 * Parses JSON as JSON.parse does, except that `toValue` makes the value of each
 * number beyond 2^53; without it they become BigNumbers. A reviver would do the
 * same at twenty times the cost of the parser: instead strings are parsed in the
 * places of such numbers and replaced afterwards. @throws SyntaxError
 */
export function parseExactJson(
  text: string,
  toValue: ValueOfDigits = (digits) => new BigNumber(digits),
): unknown {
  const parsed: unknown = JSON.parse(text);
  return bigNumber.test(text) ? replaceBigNumbers(text, parsed, toValue) : parsed;
}

/**
 * Parses JSON as `parseExactJson` does, if the text holds an integer of 16 digits
 * or more, which it finds out in a third of the time. Other texts, also with
 * numbers such as 1e20, are left to JSON.parse. @throws SyntaxError
 */
export function parseLongIntegers(text: string, toValue: ValueOfDigits): unknown {
  const parsed: unknown = JSON.parse(text);
  return mayHoldLongInteger(text) ? replaceBigNumbers(text, parsed, toValue) : parsed;
}

const integer = /^-?\d+$/;
/** Longer integers take long to convert, and do not occur in practice. */
const maxBigIntDigits = 2_048;

/** Parses JSON as JSON.parse does, except that integers beyond 2^53 become bigints. @throws SyntaxError */
export function parseWithBigInts(text: string): unknown {
  return parseLongIntegers(text, (digits) =>
    // The expression would overflow its stack with millions of digits.
    digits.length <= maxBigIntDigits && integer.test(digits) ? BigInt(digits) : Number(digits),
  );
}

/** Writes JSON as JSON.stringify does, and bigints as numbers. */
export function stringifyExactJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // It throws for bigints only: a value that was parsed has no cycles.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, one: unknown) =>
      typeof one === "bigint" ? rawNumber(String(one)) : one,
    );
  }
}

/** Returns a value as JSON. Integers beyond 2^53 become strings, since many readers of JSON would round them. */
export function toExactJson(value: unknown): JsonValue {
  if (typeof value === "string") return value;
  if (typeof value === "bigint" || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    return BigInt(value as number | bigint).toString();
  }
  if (Array.isArray(value)) return value.map(toExactJson);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toExactJson(inner)]));
  }
  return (value ?? null) as JsonValue;
}

/** Any integer with at most this many digits is below 2^53. */
const safeDigits = 15;
const step = 8;
const zero = 0x30;
const nine = 0x39;

/**
 * Whether the text may hold a bare integer beyond 2^53. A run of 16 digits covers two neighbours of the positions
 * 7, 15, 23, …, so only every eighth character is read: 40 ns for a line of 240 bytes, where a regular expression
 * takes 400. Digits in quotes (ids as text) and decimals after a point don't count.
 */
export function mayHoldLongInteger(text: string): boolean {
  let wasDigit = false;
  for (let at = step - 1; at < text.length; at += step) {
    const code = text.charCodeAt(at);
    const isNow = code <= nine && code >= zero;
    if (isNow && wasDigit) {
      let start = at;
      while (start > 0 && isDigit(text.charCodeAt(start - 1))) start--;
      let end = at + 1;
      while (end < text.length && isDigit(text.charCodeAt(end))) end++;
      if (end - start > safeDigits && isPlainInteger(text, start, end)) return true;
      // The rest of a long run is not read again.
      while (at + step < end) at += step;
    }
    wasDigit = isNow;
  }
  return false;
}

function isPlainInteger(text: string, start: number, end: number): boolean {
  if (start > 0 && !":,[- \t\r\n".includes(text[start - 1]!)) return false;
  const exact = end - start === safeDigits + 1 && text.charCodeAt(start) < nine;
  return !exact || text[end] === "." || text[end] === "e" || text[end] === "E";
}

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

function replaceBigNumbers(text: string, parsed: unknown, toValue: ValueOfDigits): unknown {
  const { marked, numbers } = markBigNumbers(text);
  return numbers.length === 0 ? parsed : putBack(JSON.parse(marked), numbers, toValue);
}

/** The beginning of the strings that replace numbers; callers can't know it. */
const mark = `${randomUUID()}:`;

const quote = 0x22;
const backslash = 0x5c;

/** Returns the text with the string `"mark:i"` instead of the number whose digits are `numbers[i]`. */
function markBigNumbers(text: string): { readonly marked: string; readonly numbers: readonly string[] } {
  const numbers: string[] = [];
  const pieces: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at + 1);
    else if (isDigitOrMinus(code)) {
      const start = at;
      while (isInNumber(text.charCodeAt(at + 1))) at++;
      const digits = text.slice(start, at + 1);
      if (Math.abs(Number(digits)) > Number.MAX_SAFE_INTEGER) {
        pieces.push(text.slice(copied, start), `"${mark}${numbers.length}"`);
        copied = at + 1;
        numbers.push(digits);
      }
    }
  }
  pieces.push(text.slice(copied));
  return { marked: pieces.join(""), numbers };
}

function endOfString(text: string, from: number): number {
  let at = from;
  for (; text.charCodeAt(at) !== quote; at++) if (text.charCodeAt(at) === backslash) at++;
  return at;
}

function isDigitOrMinus(code: number): boolean {
  return isDigit(code) || code === 0x2d;
}

/** Digits, "-", "+", "." and both forms of "e". */
function isInNumber(code: number): boolean {
  return isDigitOrMinus(code) || code === 0x2b || code === 0x2e || (code | 0x20) === 0x65;
}

type Container = Record<string | number, unknown>;

/** It walks without recursion, because a text may be nested to any depth. */
function putBack(parsed: unknown, numbers: readonly string[], toValue: ValueOfDigits): unknown {
  const root = [parsed];
  const open: object[] = [root];
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    const keys = Array.isArray(container) ? undefined : Object.keys(container);
    const { length } = keys ?? (container as readonly unknown[]);
    for (let i = 0; i < length; i++) {
      const key = keys === undefined ? i : keys[i]!;
      const value = (container as Container)[key];
      if (typeof value === "object" && value !== null) open.push(value);
      else if (typeof value === "string" && value.startsWith(mark)) {
        const number = toValue(numbers[Number(value.slice(mark.length))]!);
        // Assigning to "__proto__" would set the prototype.
        Object.defineProperty(container, key, {
          value: number,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      }
    }
  }
  return root[0];
}
