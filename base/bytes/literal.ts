/** A text that lines are often compared with, as words of four bytes. */
export interface HeadWords {
  /** Length in bytes, at least four. */
  readonly length: number;
  /** Its whole words, little-endian. */
  readonly words: Int32Array;
  /** Its last four bytes, which may overlap the word before them. */
  readonly lastWord: number;
}

/** Bytes of the words of heads. */
export const wordBytes = 4;

export function headWordsOf(text: string): HeadWords {
  const bytes = Buffer.from(text);
  const { length } = bytes;
  const words = Int32Array.from({ length: Math.floor(length / wordBytes) }, (_, index) =>
    bytes.readInt32LE(index * wordBytes),
  );
  return { length, words, lastWord: bytes.readInt32LE(length - wordBytes) };
}

/** Reports whether the view has this head at an offset. It must reach to the end of the head. */
export function hasHeadWords(view: DataView, at: number, { length, words, lastWord }: HeadWords): boolean {
  for (let index = 0; index < words.length; index++) {
    if (view.getInt32(at + index * wordBytes, true) !== words[index]) return false;
  }
  return view.getInt32(at + length - wordBytes, true) === lastWord;
}

/** A text that is often written, as words of eight bytes. */
export interface Literal {
  /** Length in bytes. */
  readonly length: number;
  /** Its words, little-endian; the last is filled up with zeros. */
  readonly words: BigInt64Array;
}

/**
 * Bytes of the words of literals. V8 copies eight bytes at once without creating a BigInt: 112 bytes in 26 ns instead
 * of 45 by four.
 */
export const longWordBytes = 8;

export function literalOf(text: string): Literal {
  const length = Buffer.byteLength(text);
  const padded = Buffer.alloc(Math.ceil(length / longWordBytes) * longWordBytes);
  padded.write(text);
  const words = BigInt64Array.from({ length: padded.length / longWordBytes }, (_, index) =>
    padded.readBigInt64LE(index * longWordBytes),
  );
  return { length, words };
}
