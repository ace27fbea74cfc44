import type {
  DuckDBDataChunk,
  DuckDBDoubleVector,
  DuckDBListVector,
  DuckDBMaterializedResult,
  DuckDBVector,
} from "@duckdb/node-api";
import type { StoredRows } from "../../sql/result.ts";

/**
 * Reads a result in memory, row by row in any order. The engine keeps the result, and one chunk at a
 * time is converted.
 */
export class ResultRows implements StoredRows {
  readonly rowCount: number;
  readonly #result: DuckDBMaterializedResult;
  /** The first row of each visited chunk, and of the next one. Chunks may have few rows. */
  readonly #starts = [0];
  #chunk: DuckDBDataChunk | undefined;
  #chunkIndex = -1;
  #vectors: (DuckDBVector | undefined)[] = [];
  /** The lists of the row that were asked for their length, by column. */
  #lists: (ListPlace | undefined)[] = [];
  #row = 0;

  constructor(result: DuckDBMaterializedResult) {
    this.#result = result;
    this.rowCount = result.rowCount;
  }

  moveTo(row: number): void {
    while (row >= this.#starts.at(-1)!) this.#load(this.#starts.length - 1);
    const isHere =
      this.#chunkIndex >= 0 &&
      row >= this.#starts[this.#chunkIndex]! &&
      row < this.#starts[this.#chunkIndex + 1]!;
    if (!isHere) this.#load(this.#chunkOf(row));
    this.#row = row - this.#starts[this.#chunkIndex]!;
    this.#lists = [];
  }

  value(column: number): unknown {
    return this.#vector(column).getItem(this.#row);
  }

  number(column: number): number {
    return (this.value(column) as number | null) ?? Number.NaN;
  }

  length(column: number): number {
    return this.#list(column).length;
  }

  element(column: number, index: number): number {
    const { values, first } = this.#list(column);
    return (values.getItem(first + index) as number | null) ?? Number.NaN;
  }

  /** Returns a copy of the numbers of a list without nulls; empty for null. Public methods read one at a time. */
  numbers(column: number): Float64Array {
    const { values, first, length } = this.#list(column);
    return (values as DuckDBDoubleVector)["items"].slice(first, first + length);
  }

  #load(chunkIndex: number): void {
    this.#chunk = this.#result.getChunk(chunkIndex);
    this.#chunkIndex = chunkIndex;
    this.#vectors = [];
    if (chunkIndex === this.#starts.length - 1)
      this.#starts.push(this.#starts.at(-1)! + this.#chunk.rowCount);
  }

  #chunkOf(row: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high - 1) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= row) low = middle;
      else high = middle;
    }
    return low;
  }

  #vector(column: number): DuckDBVector {
    this.#vectors[column] ??= this.#chunk!.getColumnVector(column);
    return this.#vectors[column];
  }

  #list(column: number): ListPlace {
    this.#lists[column] ??= placeOf(this.#vector(column) as DuckDBListVector, this.#row);
    return this.#lists[column];
  }
}

/** Where the elements of one list are in the vector of all lists of a column. */
interface ListPlace {
  readonly values: DuckDBVector;
  readonly first: number;
  readonly length: number;
}

/** The elements are not copied, and their place, which the engine has as two bigints, is read once. */
function placeOf(vector: DuckDBListVector, row: number): ListPlace {
  const { childVector: values } = vector;
  // The place of a null list is undefined memory. Public methods tell a null list only from a copy of its elements.
  if (!vector["validity"].itemValid(row)) return { values, first: 0, length: 0 };
  return { values, first: vector.getEntryOffset(row), length: vector.getEntryLength(row) };
}
