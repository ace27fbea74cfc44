import type { SpoolPlace } from "../../../store/events/events.ts";
import type { RecordChunk } from "../../../store/records/records.ts";
import { comparePlaces, type PreparedBatch, type PrepareTask } from "./prepared.ts";

/** Crashes of the thread at a line, or failed loads of that line alone, before it is skipped. */
const maxStrikes = 2;

/**
 * Finds the lines of the spool that cannot be loaded, so that none of them delays all later lines. Batches are made
 * smaller until such a line is alone in its batch; then it becomes a dead letter.
 */
export class FailingLines {
  readonly #strikes = new Map<string, { readonly place: SpoolPlace; count: number }>();
  /** Batches are small up to this place. */
  #until: SpoolPlace | undefined;
  #maxRecords = Number.POSITIVE_INFINITY;

  /** Limits a chunk to the next batch. A line at which the thread died is a batch of its own. */
  narrow({ from, to, bytes }: RecordChunk, maxRecords: number): PrepareTask {
    const inChunk = [...this.#strikes.values()]
      .filter(({ place }) => comparePlaces(place, from) >= 0 && comparePlaces(place, to) < 0)
      .sort((a, b) => comparePlaces(a.place, b.place));
    const skipped = inChunk.filter(({ count }) => count >= maxStrikes).map(({ place }) => place.offset);
    const first = inChunk.find(({ count }) => count < maxStrikes)?.place;
    const isCareful = this.#until !== undefined && comparePlaces(from, this.#until) < 0;
    const records = isCareful ? Math.min(this.#maxRecords, maxRecords) : maxRecords;
    if (first === undefined) return { from, bytes, maxRecords: records, skipped };
    if (first.offset === from.offset) return { from, bytes, maxRecords: 1, skipped };
    return { from, bytes: bytes.subarray(0, first.offset - from.offset), maxRecords: records, skipped };
  }

  workerDied(place: SpoolPlace): void {
    this.#strike(place);
  }

  /** Records that the store is available but cannot load this batch. */
  loadFailed({ batch: { from, to }, lines, counts }: PreparedBatch): void {
    this.#until = to;
    this.#maxRecords = Math.max(1, counts.records >> 1);
    if (lines === 1) this.#strike(from);
  }

  loaded(to: SpoolPlace): void {
    for (const [key, { place }] of this.#strikes) {
      if (comparePlaces(place, to) < 0) this.#strikes.delete(key);
    }
  }

  #strike(place: SpoolPlace): void {
    const key = `${place.number}:${place.offset}`;
    const known = this.#strikes.get(key);
    this.#strikes.set(key, { place, count: (known?.count ?? 0) + 1 });
  }
}
