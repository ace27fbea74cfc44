import { setImmediate as turn } from "node:timers/promises";
import type {
  DuckDBDataChunk,
  DuckDBListVector,
  DuckDBMaterializedResult,
  DuckDBVector,
} from "@duckdb/node-api";
import type { RowReader } from "../sql/cells.ts";

const maxChunkRows = 2048;

/** Reads a result in memory, row by row in any order; it is kept by the engine and taken over a chunk at a time. */
export class ResultRows implements RowReader {
  readonly rowCount: number;
  readonly #result: DuckDBMaterializedResult;
  #chunk: DuckDBDataChunk | undefined;
  #chunkIndex = -1;
  #vectors: (DuckDBVector | undefined)[] = [];
  #row = 0;

  constructor(result: DuckDBMaterializedResult) {
    this.#result = result;
    this.rowCount = result.rowCount;
  }

  moveTo(row: number): void {
    const chunkIndex = Math.floor(row / maxChunkRows);
    if (chunkIndex !== this.#chunkIndex) {
      this.#chunk = this.#result.getChunk(chunkIndex);
      this.#chunkIndex = chunkIndex;
      this.#vectors = [];
    }
    this.#row = row % maxChunkRows;
  }

  value(column: number): unknown {
    return this.#vector(column).getItem(this.#row);
  }

  number(column: number): number {
    return (this.value(column) as number | null) ?? Number.NaN;
  }

  length(column: number): number {
    const vector = this.#vector(column) as DuckDBListVector;
    return vector.getEntryLength(this.#row);
  }

  element(column: number, index: number): number {
    const vector = this.#vector(column) as DuckDBListVector;
    const value = vector.childVector.getItem(vector.getEntryOffset(this.#row) + index);
    return (value as number | null) ?? Number.NaN;
  }

  #vector(column: number): DuckDBVector {
    this.#vectors[column] ??= this.#chunk!.getColumnVector(column);
    return this.#vectors[column];
  }
}

/** Lets others work whenever this has worked for some milliseconds. */
export function createBreather(maxMs = 5): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < maxMs) return undefined;
    return turn().then(() => {
      since = performance.now();
    });
  };
}
