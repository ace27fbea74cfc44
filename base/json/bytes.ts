/** The first printable byte: the bytes below it are control characters. */
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

/** Classes of a byte, as bits of `classOf`. */
export const isSpace = 1;
export const isDigit = 2;
/** A letter or an underscore. */
export const isNameStart = 4;

/** The classes of each byte: one look-up for each byte of a text instead of several comparisons. */
export const classOf: Uint8Array = new Uint8Array(256);

for (const byte of [0x09, 0x0a, 0x0d, space]) classOf[byte] = isSpace;
for (let digit = zero; digit <= 0x39; digit++) classOf[digit] = isDigit;
for (let letter = 0x41; letter <= 0x5a; letter++) {
  classOf[letter] = isNameStart;
  classOf[letter + 0x20] = isNameStart;
}
classOf[0x5f] = isNameStart;
