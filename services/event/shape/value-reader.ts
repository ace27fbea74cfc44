import { backslash, quote, space } from "../../../base/json/bytes.ts";

/** Classes of bytes in texts. */
const stop = 0;
const ascii = 1;
const beyondAscii = 2;
const classes = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < space || byte === quote || byte === backslash) return stop;
  return byte < 128 ? ascii : beyondAscii;
});

const zero = 48;
const nine = 57;
const minus = 45;
const dot = 46;
const lowerE = 101;
/** Makes a letter lower case. */
const lowerBit = 32;
/** Whole numbers of this many digits, and their quotients by powers of ten, are exact doubles. */
const maxDigits = 15;
const powers = Array.from({ length: maxDigits + 1 }, (_, exponent) => Number(`1e${exponent}`));

/** Reads values of JSON which need no decoding. */
export class ValueReader {
  /** The number that was read last. */
  number = 0;
  /** Whether a text had bytes beyond ASCII since this was set to false. */
  hasBeyondAscii = false;

  /** Returns the offset of the quote that ends a text; -1 when the text has escapes, or is not JSON. */
  endOfText(bytes: Uint8Array, from: number): number {
    let at = from;
    let seen = 0;
    for (let found = classes[bytes[at]!]!; found !== stop; found = classes[bytes[++at]!]!) seen |= found;
    if (bytes[at] !== quote) return -1;
    if ((seen & beyondAscii) !== 0) this.hasBeyondAscii = true;
    return at;
  }

  /** Returns the offset after a number, which is exact; -1 when it has an exponent or many digits, or is not JSON. */
  endOfNumber(bytes: Uint8Array, from: number): number {
    const isNegative = bytes[from] === minus;
    const start = isNegative ? from + 1 : from;
    let at = start;
    let digits = 0;
    let number = 0;
    for (let byte = bytes[at]!; byte >= zero && byte <= nine; byte = bytes[++at]!) {
      number = number * 10 + (byte - zero);
      digits++;
    }
    if (digits === 0 || (digits > 1 && bytes[start] === zero)) return -1;
    let places = 0;
    if (bytes[at] === dot) {
      at++;
      for (let byte = bytes[at]!; byte >= zero && byte <= nine; byte = bytes[++at]!) {
        number = number * 10 + (byte - zero);
        places++;
      }
      if (places === 0) return -1;
    }
    if (digits + places > maxDigits || (bytes[at]! | lowerBit) === lowerE) return -1;
    const size = places === 0 ? number : number / powers[places]!;
    this.number = isNegative ? -size : size;
    return at;
  }
}

/** Reports whether the bytes at an offset are these. */
export function isAt(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  for (let index = 0; index < expected.length; index++) {
    if (bytes[at + index] !== expected[index]) return false;
  }
  return true;
}
