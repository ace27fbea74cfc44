import { randomInt } from "node:crypto";

const lanes = 3;
const firstCapacity = 1_024;
/** Seed of the table positions: without it, ids could be chosen that all collide. */
const seed = randomInt(2 ** 32);
/** Length of an id's key, in bytes. */
export const keyBytes = lanes * Uint32Array.BYTES_PER_ELEMENT;

/**
 * A set of push ids. It stores a 12-byte hash of each in a table that is one to two thirds full: 1 million ids take
 * 25 MB, whatever their length. The probability that two of 1 million ids collide is 1 in 10^17. The hash is not a
 * cryptographic one, which costs four times as much; chosen collisions would only keep messages from these ids.
 */
export class SeenIds {
  #table = new Uint32Array(firstCapacity * lanes);
  #count = 0;
  readonly #key = new Uint32Array(lanes);

  /** The key of the id that was added last; valid until the next `add`. */
  get key(): Uint32Array {
    return this.#key;
  }

  /** Adds an id; returns false if the set has it already. */
  add(id: string): boolean {
    writeKey(id, this.#key);
    return this.addKey(this.#key, 0);
  }

  /** Adds the key at an index of an array; returns false if the set has it already. */
  addKey(keys: Uint32Array, at: number): boolean {
    if (3 * (this.#count + 1) > (2 * this.#table.length) / lanes) this.#grow();
    const place = placeOf(this.#table, keys, at);
    if (this.#table[place] !== 0) return false;
    this.#table[place] = keys[at]!;
    this.#table[place + 1] = keys[at + 1]!;
    this.#table[place + 2] = keys[at + 2]!;
    this.#count++;
    return true;
  }

  hasKey(keys: Uint32Array, at: number): boolean {
    return this.#table[placeOf(this.#table, keys, at)] !== 0;
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += lanes) {
      if (old[at] === 0) continue;
      const place = placeOf(this.#table, old, at);
      for (let lane = 0; lane < lanes; lane++) this.#table[place + lane] = old[at + lane]!;
    }
  }
}

/** Returns the index of the key in the table, or of the free slot for it. */
function placeOf(table: Uint32Array, keys: Uint32Array, at: number): number {
  const mask = table.length / lanes - 1;
  const [a, b, c] = [keys[at]!, keys[at + 1]!, keys[at + 2]!];
  for (let slot = finish(a ^ finish(b ^ seed)) & mask; ; slot = (slot + 1) & mask) {
    const place = slot * lanes;
    const first = table[place];
    if (first === 0 || (first === a && table[place + 1] === b && table[place + 2] === c)) return place;
  }
}

/** Writes the key of an id: four lanes are multiplied by odd numbers and mixed into each other; three are kept. */
function writeKey(id: string, key: Uint32Array): void {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, id.length];
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x85ebca6b) ^ (d >>> 13);
    b = Math.imul(b ^ unit ^ a, 0xc2b2ae35) ^ (a >>> 16);
    c = Math.imul(c + unit, 0x27d4eb2f) ^ (b >>> 15);
    d = Math.imul(d ^ c, 0x165667b1) + a;
  }
  // A first lane of 0 marks a free slot of the table.
  key[0] = finish(a ^ d) || 1;
  key[1] = finish(b + Math.imul(d, 5));
  key[2] = finish(c ^ finish(d));
}

/** Mixes each bit into all others. */
function finish(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
