import { randomUUID } from "node:crypto";

/** A JSON number that a double cannot hold, with its digits as in the body. */
export class BigNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

/** A text without a match has no number that a double would change. */
const maybeBig = /\d{16}|\d[eE]/;

/**
 * The value of a JSON text that is known to be valid; `parsed` is what
 * `JSON.parse` made of it. Whole numbers beyond 2^53 and numbers beyond all
 * bounds become BigNumber. A function that JSON.parse calls with the source of
 * each value would do the same at twenty times the cost of the parser: here
 * texts are parsed in the places of such numbers, which are then put back.
 * @param toValue what such a number becomes; a BigNumber unless given
 */
export function parseExactly(
  text: string,
  parsed: unknown,
  toValue: (digits: string) => unknown = (digits) => new BigNumber(digits),
): unknown {
  if (!maybeBig.test(text)) return parsed;
  const { marked, numbers } = markBigNumbers(text);
  return numbers.length === 0 ? parsed : putBack(JSON.parse(marked), numbers, toValue);
}

/** The prefix of a text that replaces a number; callers cannot guess it. */
const mark = `${randomUUID()}:`;

const quote = 0x22;
const backslash = 0x5c;

/** Returns the text with `"mark:i"` instead of the number with the digits `numbers[i]`. */
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
  return (code >= 0x30 && code <= 0x39) || code === 0x2d;
}

/** Reports whether a character may occur in a number: also "+", "." and both forms of "e". */
function isInNumber(code: number): boolean {
  return isDigitOrMinus(code) || code === 0x2b || code === 0x2e || (code | 0x20) === 0x65;
}

type Container = Record<string | number, unknown>;

/** Replaces marks by numbers, without recursion, since a text may be nested to any depth. */
function putBack(parsed: unknown, numbers: readonly string[], toValue: (digits: string) => unknown): unknown {
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
