import type { DuckDBDataChunk, DuckDBVector } from "@duckdb/node-api";
import { Utf8Text } from "../../../../base/bytes/utf8-text.ts";
import type { Statement } from "../../sql/parameters.ts";
import { BlobRuns } from "./blob-runs.ts";

/**
 * The texts of a row as one column of bytes and their lengths. Each text of more than 12 bytes costs a
 * call of the engine, 1.3 µs, three times as much as all other work on it.
 */
export interface PackedTexts {
  readonly statement: Statement;
  /** The index of each column in the rows by its name; for texts, the index of the length. */
  readonly columns: ReadonlyMap<string, number>;
}

/** Finding out whether a column has a value takes longer than reading it. */
const lengthOfNull = -1;

/**
 * Packs the rows of a statement, in no order.
 * @param texts the columns to pack
 * @param others the other columns, which keep their names
 */
export function packTexts(
  { sql, parameters }: Statement,
  texts: readonly string[],
  others: readonly string[],
): PackedTexts {
  // Nulls add nothing. The function needs an argument.
  const packed = `encode(concat(${texts.join(", ") || "''"})) AS packed`;
  const lengths = texts.map(
    (text, index) => `coalesce(CAST(strlen(${text}) AS INTEGER), ${lengthOfNull}) AS length${index}`,
  );
  return {
    statement: { sql: `SELECT ${[packed, ...lengths, ...others].join(", ")} FROM (${sql}) s`, parameters },
    columns: new Map([...texts, ...others].map((name, index) => [name, index + 1])),
  };
}

/** Reads packed rows of a chunk by the indexes of columns, one row at a time. */
export class PackedRow {
  readonly rowCount: number;
  readonly #vectors: readonly DuckDBVector[];
  readonly #blobs: BlobRuns;
  readonly #texts: readonly Utf8Text[];
  /** The places of the texts in the bytes of the row; the last one is their end. */
  readonly #places: number[];
  readonly #isNull: boolean[];
  #row = 0;

  constructor(chunk: DuckDBDataChunk, textCount: number) {
    this.rowCount = chunk.rowCount;
    // Each access to a vector looks up its memory again.
    this.#vectors = Array.from({ length: chunk.columnCount }, (_, index) => chunk.getColumnVector(index));
    this.#blobs = new BlobRuns(chunk, 0);
    this.#texts = Array.from({ length: textCount }, () => new Utf8Text(this.#blobs.bytes, 0, 0));
    this.#places = new Array<number>(textCount + 1).fill(0);
    this.#isNull = new Array<boolean>(textCount).fill(true);
  }

  moveTo(row: number): void {
    this.#row = row;
    this.#blobs.moveTo(row);
    let place = 0;
    for (let text = 0; text < this.#texts.length; text++) {
      const length = this.#vectors[text + 1]!.getItem(row) as number;
      const isNull = length === lengthOfNull;
      this.#isNull[text] = isNull;
      if (!isNull) place += length;
      this.#places[text + 1] = place;
    }
  }

  /** Returns the bytes of all texts of a row. */
  textBytesOf(row: number): number {
    return this.#blobs.lengthOf(row);
  }

  isText(column: number): boolean {
    return column <= this.#texts.length;
  }

  /** @param column the column's index */
  value(column: number): unknown {
    if (!this.isText(column)) return this.#vectors[column]!.getItem(this.#row);
    const text = column - 1;
    return this.#isNull[text] ? null : this.#blobs.text(this.#places[text]!, this.#places[text + 1]!);
  }

  /** Returns a text that is valid until the text of this column in another row is returned. @param column its index */
  utf8(column: number): Utf8Text | null {
    const index = column - 1;
    if (this.#isNull[index]) return null;
    const text = this.#texts[index]!;
    const { bytes, start } = this.#blobs;
    text.whole = bytes;
    text.start = start + this.#places[index]!;
    text.end = start + this.#places[index + 1]!;
    return text;
  }
}
