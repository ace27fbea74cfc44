import { randomInt } from "node:crypto";

const lanes = 3;
const firstSlots = 1_024;
/** Keys of one array, a power of two: more keys need no copy of those before. */
const keysOfChunk = 65_536;
/** Seed of the table positions: without it, ids could be chosen that all collide. */
const seed = randomInt(2 ** 32) | 0;
/** Length of an id's key, in bytes. */
export const keyBytes = lanes * Int32Array.BYTES_PER_ELEMENT;

/**
 * A set of push ids. It stores a 12-byte hash of each, one after the other, and finds it over a table with 4 bytes for
 * each slot, a third to two thirds full: 1 million ids take 20 MB, whatever their length. A slot has the number of its
 * key in its low bits and a part of the hash in the others, so that other keys are hardly ever compared. A table of the
 * keys themselves has more pages than the processor can find at once, which takes three times as long.
 *
 * The probability that two of 1 million ids collide is 1 in 10^17. The hash is not a cryptographic one, which costs
 * four times as much; chosen collisions would only keep messages from these ids.
 */
export class SeenIds {
  #slots = new Int32Array(firstSlots);
  #mask = firstSlots - 1;
  readonly #chunks: Int32Array[] = [];
  #count = 0;
  readonly #key = new Int32Array(lanes);

  /** The key of the id that was added last; valid until the next `add`. */
  get key(): Int32Array {
    return this.#key;
  }

  /** Adds an id; returns false if the set has it already. */
  add(id: string): boolean {
    writeKey(id, this.#key);
    return this.addKey(this.#key, 0);
  }

  /** Adds the key at an index of an array; returns false if the set has it already. */
  addKey(keys: Int32Array, at: number): boolean {
    if (3 * (this.#count + 1) > 2 * this.#slots.length) this.#grow();
    const hash = hashOf(keys, at);
    const slot = this.#slotOf(keys, at, hash);
    if (this.#slots[slot] !== 0) return false;
    const number = this.#count++;
    if (number % keysOfChunk === 0) this.#chunks.push(new Int32Array(keysOfChunk * lanes));
    const chunk = this.#chunks.at(-1)!;
    const place = (number % keysOfChunk) * lanes;
    chunk[place] = keys[at]!;
    chunk[place + 1] = keys[at + 1]!;
    chunk[place + 2] = keys[at + 2]!;
    this.#slots[slot] = (hash & ~this.#mask) | this.#count;
    return true;
  }

  hasKey(keys: Int32Array, at: number): boolean {
    return this.#slots[this.#slotOf(keys, at, hashOf(keys, at))] !== 0;
  }

  /** Returns the slot of the key, or the free one for it. */
  #slotOf(keys: Int32Array, at: number, hash: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot]!;
      if (found === 0) return slot;
      if (((found ^ hash) & ~mask) === 0 && this.#isEqual((found & mask) - 1, keys, at)) return slot;
    }
  }

  #isEqual(number: number, keys: Int32Array, at: number): boolean {
    const chunk = this.#chunks[Math.floor(number / keysOfChunk)]!;
    const place = (number % keysOfChunk) * lanes;
    return (
      chunk[place] === keys[at] && chunk[place + 1] === keys[at + 1] && chunk[place + 2] === keys[at + 2]
    );
  }

  #grow(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#count; number++) {
      const chunk = this.#chunks[Math.floor(number / keysOfChunk)]!;
      const hash = hashOf(chunk, (number % keysOfChunk) * lanes);
      let slot = hash & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = (hash & ~mask) | (number + 1);
    }
    this.#slots = slots;
    this.#mask = mask;
  }
}

function hashOf(keys: Int32Array, at: number): number {
  return finish(keys[at]! ^ finish(keys[at + 1]! ^ seed));
}

/** Writes the key of an id: four lanes are multiplied by odd numbers and mixed into each other; three are kept. */
function writeKey(id: string, key: Int32Array): void {
  let a = 0x9e3779b9 | 0;
  let b = 0x243f6a88;
  let c = 0xb7e15162 | 0;
  let d = id.length;
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x85ebca6b) ^ (d >>> 13);
    b = Math.imul(b ^ unit ^ a, 0xc2b2ae35) ^ (a >>> 16);
    c = Math.imul(c + unit, 0x27d4eb2f) ^ (b >>> 15);
    d = (Math.imul(d ^ c, 0x165667b1) + a) | 0;
  }
  // Stored keys of runs that are being prepared have no 0 there.
  key[0] = finish(a ^ d) || 1;
  key[1] = finish((b + Math.imul(d, 5)) | 0);
  key[2] = finish(c ^ finish(d));
}

/** Mixes each bit into all others. */
function finish(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return mixed ^ (mixed >>> 16);
}
