import type { DuckDBBlobVector, DuckDBDataChunk, DuckDBVector } from "@duckdb/node-api";
import type { Statement } from "../../sql/parameters.ts";

/**
 * The texts of a row as one column of bytes and their lengths: each text of
 * more than 12 bytes costs a call of the engine, 1.3 µs, three times as much as
 * all else that is done with it.
 */
export interface PackedTexts {
  readonly statement: Statement;
  /** The place of each column in the rows, and of texts the place of the length; by the names given. */
  readonly columns: ReadonlyMap<string, number>;
}

/** Rows of the statement in no order. @param texts columns to be packed. @param others its other columns, which keep their names */
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

/** Reads packed rows of a chunk by the places of columns, each row in turn. */
export class PackedRow {
  readonly #vectors: readonly DuckDBVector[];
  readonly #textCount: number;
  readonly #texts: (string | null)[];
  #row = 0;

  constructor(chunk: DuckDBDataChunk, textCount: number) {
    // Each time vectors are asked for, their memory is looked up anew.
    this.#vectors = Array.from({ length: chunk.columnCount }, (_, index) => chunk.getColumnVector(index));
    this.#textCount = textCount;
    this.#texts = new Array<string | null>(textCount).fill(null);
  }

  moveTo(row: number): void {
    this.#row = row;
    const view = (this.#vectors[0] as DuckDBBlobVector).getItemBytes(row)!;
    const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
    const all = bytes.toString("utf8");
    // Only where each character is a byte do lengths in bytes cut the text; that takes half the time.
    const isAscii = all.length === bytes.length;
    let from = 0;
    for (let text = 0; text < this.#textCount; text++) {
      const length = this.#vectors[text + 1]!.getItem(row) as number | null;
      if (length === null) this.#texts[text] = null;
      else {
        const to = from + length;
        this.#texts[text] = isAscii ? all.substring(from, to) : bytes.toString("utf8", from, to);
        from = to;
      }
    }
  }

  /** @param column its place */
  value(column: number): unknown {
    return column <= this.#textCount ? this.#texts[column - 1] : this.#vectors[column]!.getItem(this.#row);
  }
}
