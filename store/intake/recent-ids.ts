import { hashId, IdTable } from "./id-table.ts";

/**
 * Numbers of the ids that were used of late: up to `maxEntries`, at least half
 * of them the latest. Two tables take turns, which costs a quarter of what it
 * costs to keep entries in the order of their use.
 */
export class RecentIds {
  readonly #halfEntries: number;
  #young: IdTable;
  #old: IdTable | undefined;
  #hasDropped = false;
  /** Most ids that are set were looked for right before. */
  #lastId = "";
  #lastHash = hashId("");

  constructor(maxEntries: number) {
    this.#halfEntries = Math.max(1, maxEntries >> 1);
    this.#young = new IdTable();
  }

  get size(): number {
    return this.#young.size + (this.#old?.size ?? 0);
  }

  /** Whether something was set that may not be here any more. */
  get hasDropped(): boolean {
    return this.#hasDropped;
  }

  get(id: string): number | undefined {
    const hash = this.#hashOf(id);
    const found = this.#young.get(id, hash);
    if (found !== undefined || this.#old === undefined) return found;
    const older = this.#old.get(id, hash);
    if (older !== undefined) this.set(id, older);
    return older;
  }

  set(id: string, value: number): void {
    const hash = this.#hashOf(id);
    if (this.#young.size >= this.#halfEntries && this.#young.get(id, hash) === undefined) {
      this.#hasDropped ||= this.#old !== undefined;
      this.#old = this.#young;
      this.#young = new IdTable();
    }
    this.#young.set(id, hash, value);
  }

  #hashOf(id: string): number {
    if (id !== this.#lastId) {
      this.#lastId = id;
      this.#lastHash = hashId(id);
    }
    return this.#lastHash;
  }
}
