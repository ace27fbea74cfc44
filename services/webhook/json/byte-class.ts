/** Bytes of JSON that mean something. */
/** What lies below are control characters. */
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const MINUS = 0x2d;
export const DOT = 0x2e;
export const ZERO = 0x30;

/** Classes a byte can be in, as bits of `classOf`. */
export const BLANK = 1;
export const DIGIT = 2;
/** May begin a name: letter or underscore. */
export const NAME_START = 4;

/** One look-up for each byte of a body instead of several comparisons. */
export const classOf: Uint8Array = new Uint8Array(256);

for (const blank of [0x09, 0x0a, 0x0d, SPACE]) classOf[blank] = BLANK;
for (let digit = ZERO; digit <= 0x39; digit++) classOf[digit] = DIGIT;
for (let letter = 0x41; letter <= 0x5a; letter++) {
  classOf[letter] = NAME_START;
  classOf[letter + 0x20] = NAME_START;
}
classOf[0x5f] = NAME_START;
