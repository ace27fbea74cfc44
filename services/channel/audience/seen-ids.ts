import { hash } from "node:crypto";

const lanes = 3;
const firstCapacity = 1_024;

/**
 * The push ids that have come so far. Each takes 12 bytes of its SHA-256 in a
 * table that is a third to two thirds full: 1 million ids take 25 MB, however
 * long they are. That two different ones are taken for one has a chance of
 * 1 in 10^17 for 1 million.
 */
export class SeenIds {
  #table = new Uint32Array(firstCapacity * lanes);
  #count = 0;

  /** False: it was there already. */
  add(id: string): boolean {
    if (3 * (this.#count + 1) > (2 * this.#table.length) / lanes) this.#grow();
    const digest = hash("sha256", id, "buffer");
    // An empty place is all zeroes.
    const isNew = place(this.#table, [
      digest.readUInt32LE(0) || 1,
      digest.readUInt32LE(4),
      digest.readUInt32LE(8),
    ]);
    if (isNew) this.#count++;
    return isNew;
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += lanes) {
      if (old[at] !== 0) place(this.#table, [old[at]!, old[at + 1]!, old[at + 2]!]);
    }
  }
}

function place(table: Uint32Array, [a, b, c]: readonly [number, number, number]): boolean {
  const mask = table.length / lanes - 1;
  for (let slot = (a ^ b) & mask; ; slot = (slot + 1) & mask) {
    const at = slot * lanes;
    if (table[at] === 0) {
      table.set([a, b, c], at);
      return true;
    }
    if (table[at] === a && table[at + 1] === b && table[at + 2] === c) return false;
  }
}
