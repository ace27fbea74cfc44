import type { PreparedBatch } from "./prepared.ts";

/** With fewer records the engine needs hardly less: by then its memory goes to columns. */
const minRecords = 256;

/** How many records batches may have, by the memory that the engine turned out to have for them. */
export class BatchSize {
  readonly #maxRecords: number;
  #records: number;

  constructor(maxRecords: number) {
    this.#maxRecords = maxRecords;
    this.#records = maxRecords;
  }

  get records(): number {
    return this.#records;
  }

  /** The engine had not the memory for a batch. False when it can't be made smaller. */
  halve({ lines, counts }: Pick<PreparedBatch, "lines" | "counts">): boolean {
    if (lines === 1 || counts.records <= minRecords) return false;
    this.#records = Math.max(minRecords, counts.records >> 1);
    return true;
  }

  /** A batch was loaded: later ones may be larger by a quarter. */
  grow(): void {
    this.#records = Math.min(this.#maxRecords, Math.ceil(this.#records * 1.25));
  }
}
