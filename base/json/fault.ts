/** A place in a text of several lines. */
export interface Place {
  /** Counted from 1; lines end with LF. */
  readonly line: number;
  /** Counted from 1, in characters. */
  readonly column: number;
  /** Counted from 0. */
  readonly byte: number;
}

/**
 * An error for a text that is not JSON, or nested too deeply. The message says what was expected and found, and where.
 */
export class JsonFault extends Error {
  override readonly name = "JsonFault";
  readonly place: Place;

  constructor(problem: string, bytes: Uint8Array, byte: number) {
    const place = placeOf(bytes, byte);
    super(`${problem} at line ${place.line}, column ${place.column} (byte ${byte})`);
    this.place = place;
  }
}

const lf = 0x0a;

/** Returns the line and column of a byte. It reads all bytes before it, so it is for faults and warnings only. */
export function placeOf(bytes: Uint8Array, byte: number): Place {
  let line = 1;
  let column = 1;
  for (let at = 0; at < byte; at++) {
    const value = bytes[at]!;
    if (value === lf) {
      line++;
      column = 1;
    } else if ((value & 0xc0) !== 0x80) column++; // the bytes of a character after its first begin with 10
  }
  return { line, column, byte };
}

const printable = /^[\p{L}\p{N}\p{P}\p{S}]$/u;

/** Returns what stands at a byte, as messages name it: a character in quotes, or the code of one that can't be seen. */
export function describeByte(bytes: Uint8Array, at: number): string {
  const [character] = Buffer.from(bytes.subarray(at, at + 4)).toString("utf8");
  if (character === undefined) return "the end of the text";
  if (printable.test(character)) return JSON.stringify(character);
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
}
