import { randomInt } from "node:crypto";

const lanes = 3;
const firstCapacity = 1_024;
/** Of places in tables: otherwise ids could be chosen that all look for the same one. */
const seed = randomInt(2 ** 32);
/** Bytes of one id's key. */
export const keyBytes = lanes * Uint32Array.BYTES_PER_ELEMENT;

/**
 * The push ids that have come so far. Each takes 12 bytes, a hash of it, in a
 * table that is a third to two thirds full: 1 million ids take 25 MB, however
 * long they are. That two different ones are taken for one has a chance of
 * 1 in 10^17 for 1 million. The hash isn't a cryptographic one: that costs four
 * times as much, and who could choose ids would only keep messages from these.
 */
export class SeenIds {
  #table = new Uint32Array(firstCapacity * lanes);
  #count = 0;
  readonly #key = new Uint32Array(lanes);

  /** The key of the id that was asked for last, until the next is. */
  get key(): Uint32Array {
    return this.#key;
  }

  /** False: it was there already. */
  add(id: string): boolean {
    writeKey(id, this.#key);
    return this.addKey(this.#key, 0);
  }

  /** As `add`, of the key at a place of an array. */
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

/** Where the key is, or is to be. */
function placeOf(table: Uint32Array, keys: Uint32Array, at: number): number {
  const mask = table.length / lanes - 1;
  const [a, b, c] = [keys[at]!, keys[at + 1]!, keys[at + 2]!];
  for (let slot = finish(a ^ finish(b ^ seed)) & mask; ; slot = (slot + 1) & mask) {
    const place = slot * lanes;
    const first = table[place];
    if (first === 0 || (first === a && table[place + 1] === b && table[place + 2] === c)) return place;
  }
}

/** Four lanes that are multiplied by odd numbers and fed into each other, of which three are kept. */
function writeKey(id: string, key: Uint32Array): void {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, id.length];
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x85ebca6b) ^ (d >>> 13);
    b = Math.imul(b ^ unit ^ a, 0xc2b2ae35) ^ (a >>> 16);
    c = Math.imul(c + unit, 0x27d4eb2f) ^ (b >>> 15);
    d = Math.imul(d ^ c, 0x165667b1) + a;
  }
  // An empty place of a table is a first lane of 0.
  key[0] = finish(a ^ d) || 1;
  key[1] = finish(b + Math.imul(d, 5));
  key[2] = finish(c ^ finish(d));
}

/** Spreads each bit over all. */
function finish(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
