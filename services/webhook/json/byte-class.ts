/** Bytes of JSON that mean something. */
/** What lies below are control characters. */
export const space = 0x20;
export const quote = 0x22;
export const backslash = 0x5c;
export const comma = 0x2c;
export const colon = 0x3a;
export const openObject = 0x7b;
export const closeObject = 0x7d;
export const openArray = 0x5b;
export const closeArray = 0x5d;
export const minus = 0x2d;
export const dot = 0x2e;
export const zero = 0x30;

/** Classes a byte can be in, as bits of `classOf`. */
export const BLANK = 1;
export const DIGIT = 2;
/** May begin a name: letter or underscore. */
export const nameStart = 4;

/** One look-up for each byte of a body instead of several comparisons. */
export const classOf: Uint8Array = new Uint8Array(256);

for (const blank of [0x09, 0x0a, 0x0d, space]) classOf[blank] = BLANK;
for (let digit = zero; digit <= 0x39; digit++) classOf[digit] = DIGIT;
for (let letter = 0x41; letter <= 0x5a; letter++) {
  classOf[letter] = nameStart;
  classOf[letter + 0x20] = nameStart;
}
classOf[0x5f] = nameStart;
