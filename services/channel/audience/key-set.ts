import { randomInt } from "node:crypto";
import { keyLanes, mixBits } from "./keys.ts";

const firstSlots = 1_024;
/** Keys of one array, a power of two: more keys need no copy of those before. */
const keysOfChunk = 65_536;
/** Seed of the table positions: without it, push ids could be chosen that all collide. */
const seed = randomInt(2 ** 32) | 0;

/**
 * A set of keys. It stores them one after the other, and finds each over a table with 4 bytes for each slot, a third to
 * two thirds full: 1 million keys take 20 MB. A slot has the number of its key in its low bits and a part of the key's
 * hash in the others, so that other keys are hardly ever compared. A table of the keys themselves has more pages than
 * the processor can find at once, which takes three times as long.
 */
export class KeySet {
  #slots = new Int32Array(firstSlots);
  #mask = firstSlots - 1;
  readonly #chunks: Int32Array[] = [];
  #count = 0;

  /** Adds the key at an index of an array; returns false if the set has it already. */
  add(keys: Int32Array, at = 0): boolean {
    if (3 * (this.#count + 1) > 2 * this.#slots.length) this.#grow();
    const hash = hashOf(keys, at);
    const slot = this.#slotOf(keys, at, hash);
    if (this.#slots[slot] !== 0) return false;
    const number = this.#count++;
    if (number % keysOfChunk === 0) this.#chunks.push(new Int32Array(keysOfChunk * keyLanes));
    const chunk = this.#chunks.at(-1)!;
    const place = (number % keysOfChunk) * keyLanes;
    chunk[place] = keys[at]!;
    chunk[place + 1] = keys[at + 1]!;
    chunk[place + 2] = keys[at + 2]!;
    this.#slots[slot] = (hash & ~this.#mask) | this.#count;
    return true;
  }

  has(key: Int32Array): boolean {
    return this.#slots[this.#slotOf(key, 0, hashOf(key, 0))] !== 0;
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
    const place = (number % keysOfChunk) * keyLanes;
    return (
      chunk[place] === keys[at] && chunk[place + 1] === keys[at + 1] && chunk[place + 2] === keys[at + 2]
    );
  }

  #grow(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#count; number++) {
      const chunk = this.#chunks[Math.floor(number / keysOfChunk)]!;
      const hash = hashOf(chunk, (number % keysOfChunk) * keyLanes);
      let slot = hash & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = (hash & ~mask) | (number + 1);
    }
    this.#slots = slots;
    this.#mask = mask;
  }
}

function hashOf(keys: Int32Array, at: number): number {
  return mixBits(keys[at]! ^ keys[at + 2]! ^ mixBits(keys[at + 1]! ^ seed));
}
