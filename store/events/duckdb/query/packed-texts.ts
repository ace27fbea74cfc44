import type { DuckDBBlobVector, DuckDBDataChunk, DuckDBVector } from "@duckdb/node-api";
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
  // Nulls add nothing.
  const packed = `encode(concat(${texts.join(", ")})) AS packed`;
  const lengths = texts.map((text, index) => `CAST(strlen(${text}) AS INTEGER) AS length${index}`);
  return {
    statement: { sql: `SELECT ${[packed, ...lengths, ...others].join(", ")} FROM (${sql}) s`, parameters },
    columns: new Map([...texts, ...others].map((name, index) => [name, index + 1])),
  };
}

/** Reads packed rows of a chunk by the indexes of columns, one row at a time. */
export class PackedRow {
  readonly #vectors: readonly DuckDBVector[];
  readonly #blobs: BlobRuns;
  readonly #texts: (string | null)[];
  #row = 0;

  constructor(chunk: DuckDBDataChunk, textCount: number) {
    // Each access to a vector looks up its memory again.
    this.#vectors = Array.from({ length: chunk.columnCount }, (_, index) => chunk.getColumnVector(index));
    this.#blobs = new BlobRuns(this.#vectors[0] as DuckDBBlobVector, chunk.rowCount);
    this.#texts = new Array<string | null>(textCount).fill(null);
  }

  moveTo(row: number): void {
    this.#row = row;
    this.#blobs.moveTo(row);
    let from = 0;
    for (let text = 0; text < this.#texts.length; text++) {
      const length = this.#vectors[text + 1]!.getItem(row) as number | null;
      if (length === null) this.#texts[text] = null;
      else {
        this.#texts[text] = this.#blobs.text(from, from + length);
        from += length;
      }
    }
  }

  /** The bytes of all texts of the row. */
  get textBytes(): number {
    return this.#blobs.length;
  }

  /** @param column the column's index */
  value(column: number): unknown {
    return column <= this.#texts.length ? this.#texts[column - 1] : this.#vectors[column]!.getItem(this.#row);
  }
}
