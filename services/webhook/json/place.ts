/** Where something stands in a body. */
export interface Place {
  /** Counted from 1; lines end with LF. */
  readonly line: number;
  /** Counted from 1, in characters. */
  readonly column: number;
  /** Counted from 0. */
  readonly byte: number;
}

const lf = 0x0a;

/** Takes time by `byte`: for faults and warnings only. */
export function placeOf(bytes: Uint8Array, byte: number): Place {
  let line = 1;
  let column = 1;
  for (let at = 0; at < byte; at++) {
    const value = bytes[at]!;
    if (value === lf) {
      line++;
      column = 1;
    } else if ((value & 0xc0) !== 0x80) column++; // the bytes behind the first of a character begin with 10
  }
  return { line, column, byte };
}

/** `line 1, column 5 (byte 4)` */
export function formatPlace({ line, column, byte }: Place): string {
  return `line ${line}, column ${column} (byte ${byte})`;
}
