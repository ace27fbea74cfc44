import { hashId, IdTable } from "./id-table.ts";

/**
 * Maps recently used ids to numbers: up to `maxEntries`, of which at least half are the latest. Uses
 * two tables, of which the older is dropped when the newer is full, at a quarter of the cost of keeping
 * entries in the order of their use.
 */
export class RecentIds {
  readonly #halfEntries: number;
  #newer: IdTable;
  #older: IdTable | undefined;
  #hasDropped = false;
  /** Most ids are set right after a lookup, so the last hash is kept. */
  #lastId = "";
  #lastHash = hashId("");

  constructor(maxEntries: number) {
    this.#halfEntries = Math.max(1, maxEntries >> 1);
    this.#newer = new IdTable();
  }

  get size(): number {
    return this.#newer.size + (this.#older?.size ?? 0);
  }

  /** Whether an entry may have been dropped. */
  get hasDropped(): boolean {
    return this.#hasDropped;
  }

  get(id: string): number | undefined {
    const hash = this.#hashOf(id);
    const found = this.#newer.get(id, hash);
    if (found !== undefined || this.#older === undefined) return found;
    const older = this.#older.get(id, hash);
    if (older !== undefined) this.set(id, older);
    return older;
  }

  set(id: string, value: number): void {
    const hash = this.#hashOf(id);
    if (this.#newer.size >= this.#halfEntries && this.#newer.get(id, hash) === undefined) {
      this.#hasDropped ||= this.#older !== undefined;
      this.#older = this.#newer;
      this.#newer = new IdTable();
    }
    this.#newer.set(id, hash, value);
  }

  #hashOf(id: string): number {
    if (id !== this.#lastId) {
      this.#lastId = id;
      this.#lastHash = hashId(id);
    }
    return this.#lastHash;
  }
}
