import { slotOf } from "../hash-slot.ts";
import { AnnouncedKeys, throwUnannounced } from "./announced.ts";
import { hashUuids, hashWords, isSameHash } from "./uuid-hash.ts";

/** The uuids of a project which a batch may use. A position counts announced uuids from 0. */
export class BatchUuids {
  /** The hashes of the uuids, one after the other. */
  readonly hashes: Buffer;
  /** The same memory. */
  readonly words: Uint32Array;
  /** The positions of the uuids which this batch has claimed, each once. */
  readonly claimed: number[] = [];
  readonly #keys: AnnouncedKeys;
  /** The first position of the same uuid, for which its claim is kept. */
  readonly #first: Int32Array;
  /** The time of the last claim; NaN without one. */
  readonly #times: Float64Array;
  /** The place of the batch of that claim. */
  readonly #seqs: Float64Array;
  readonly #isClaimed: Uint8Array;

  constructor(projectId: number, uuids: readonly string[]) {
    const { length } = uuids;
    this.hashes = hashUuids(projectId, uuids);
    this.#keys = new AnnouncedKeys(uuids);
    this.words = new Uint32Array(this.hashes.buffer, this.hashes.byteOffset, length * hashWords);
    this.#first = firstPositions(this.words);
    this.#times = new Float64Array(length).fill(Number.NaN);
    this.#seqs = new Float64Array(length);
    this.#isClaimed = new Uint8Array(length);
  }

  /** Adds a claim of a batch before. The last batch counts for a uuid which was claimed several times. */
  learn(position: number, timeMs: number, seq: number): void {
    const first = this.#first[position]!;
    if (seq < this.#seqs[first]!) return;
    this.#seqs[first] = seq;
    this.#times[first] = timeMs;
  }

  /** Returns false when the uuid was claimed within the window. */
  claim(uuid: string, steadyMs: number, windowMs: number): boolean {
    const found = this.#keys.find(uuid);
    if (found === -1) throwUnannounced("uuid");
    const first = this.#first[found]!;
    if (Math.abs(steadyMs - this.#times[first]!) < windowMs) return false;
    this.#times[first] = steadyMs;
    if (this.#isClaimed[first] === 0) this.claimed.push(first);
    this.#isClaimed[first] = 1;
    return true;
  }

  /** Returns the time of the last claim of the uuid at a position. */
  timeOf(position: number): number {
    return this.#times[position]!;
  }
}

/** Returns for each hash the first position of an equal one. */
function firstPositions(words: Uint32Array): Int32Array {
  const count = words.length / hashWords;
  let slots = 16;
  while (slots < count * 2) slots *= 2;
  /** Positions plus 1, with linear probing; 0 is an empty slot. */
  const table = new Int32Array(slots);
  const first = new Int32Array(count);
  for (let at = 0; at < count; at++) {
    const word = at * hashWords;
    let slot = slotOf(slots, words[word]!, words[word + 1]!, words[word + 2]!, words[word + 3]!);
    while (table[slot] !== 0 && !isSameHash(words, (table[slot]! - 1) * hashWords, words, word))
      slot = (slot + 1) & (slots - 1);
    if (table[slot] === 0) table[slot] = at + 1;
    first[at] = table[slot]! - 1;
  }
  return first;
}
