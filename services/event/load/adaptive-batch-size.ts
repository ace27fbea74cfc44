import type { PreparedBatch } from "./prepared.ts";

/** Smallest batch after an out-of-memory error. With fewer records columns take most of the engine's memory. */
const minRecords = 256;

/** The number of records of a batch, which depends on the memory of the engine. */
export class AdaptiveBatchSize {
  readonly #maxRecords: number;
  #records: number;

  constructor(maxRecords: number) {
    this.#maxRecords = maxRecords;
    this.#records = maxRecords;
  }

  get records(): number {
    return this.#records;
  }

  /** Halves the size after an out-of-memory error. Returns false if the batch cannot be smaller. */
  halve({ lines, counts }: Pick<PreparedBatch, "lines" | "counts">): boolean {
    if (lines === 1 || counts.records <= minRecords) return false;
    this.#records = Math.max(minRecords, counts.records >> 1);
    return true;
  }

  /** Increases the size by a quarter after a load. */
  grow(): void {
    this.#records = Math.min(this.#maxRecords, Math.ceil(this.#records * 1.25));
  }
}
