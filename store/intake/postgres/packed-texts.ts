/** Texts as parameters of a statement: their bytes in UTF-8, one after the other, and where each is. */
export interface PackedTexts {
  readonly count: number;
  readonly bytes: Uint8Array;
  /** Arrays of integers as PostgreSQL reads them. Starts are counted from 1. */
  readonly starts: string;
  readonly lengths: string;
}

/**
 * Packs texts, any of which may hold NUL, which PostgreSQL cannot have in a text.
 * @param texts without unpaired surrogates
 */
export function packTexts(texts: readonly string[]): PackedTexts {
  const bytes = Buffer.from(texts.join(""));
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const starts: number[] = [];
  let start = 1;
  for (const length of lengths) {
    starts.push(start);
    start += length;
  }
  return { count: texts.length, bytes, starts: integers(starts), lengths: integers(lengths) };
}

/** Writes an array of integers as PostgreSQL reads it. */
export function integers(list: readonly number[]): string {
  return `{${list.join(",")}}`;
}

/** The maximum number of keys or rows of one statement. */
export const maxKeys = 20_000;

/** Cuts a list into parts for statements. */
export function* chunksOf<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += maxKeys) yield list.slice(at, at + maxKeys);
}
