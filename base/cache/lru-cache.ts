interface Entry<V> {
  readonly value: V;
  readonly size: number;
}

/** A map that holds entries up to a total size. Those read or set longest ago are removed first. */
export class LruCache<K, V> {
  readonly #maxSize: () => number;
  /** The entries in the order of their last use: a map keeps the order in which its keys were set. */
  readonly #entries = new Map<K, Entry<V>>();
  /** The key that was used last: its entry is at its place already when it is used again. */
  #newest: K | undefined;
  #size = 0;

  /**
   * @param maxSize number of entries, or of bytes when `set` is called with sizes in bytes. A function returns the
   * present one, which each call of `get` and `set` applies.
   */
  constructor(maxSize: number | (() => number)) {
    this.#maxSize = typeof maxSize === "number" ? () => maxSize : maxSize;
  }

  get size(): number {
    return this.#size;
  }

  get(key: K): V | undefined {
    this.#evict(this.#maxSize());
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (key !== this.#newest) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#newest = key;
    }
    return entry.value;
  }

  /** An entry larger than the whole cache is not kept. */
  set(key: K, value: V, size = 1): void {
    this.#remove(key);
    const maxSize = this.#maxSize();
    const isKept = size <= maxSize;
    this.#evict(isKept ? maxSize - size : maxSize);
    if (!isKept) return;
    this.#entries.set(key, { value, size });
    this.#newest = key;
    this.#size += size;
  }

  #evict(maxSize: number): void {
    if (this.#size <= maxSize) return;
    for (const oldest of this.#entries.keys()) {
      this.#remove(oldest);
      if (this.#size <= maxSize) return;
    }
  }

  #remove(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#size -= entry.size;
  }
}
