import { randomFillSync } from "node:crypto";

const multipliers = randomFillSync(new Int32Array(8));

/**
 * Returns the slot of a hash of up to four words in a table of 2^n slots. Each half of a word is multiplied by a number
 * of this process, and the high bits of the sum are the slot. So nobody can choose hashes of the same slot: any two
 * different hashes have it with a probability of at most 2^(1 - n), and of 2^-16 in tables of more than 2^17 slots.
 */
export function slotOf(slots: number, w0: number, w1: number, w2 = 0, w3 = 0): number {
  const sum = spread(w0, 0) + spread(w1, 2) + spread(w2, 4) + spread(w3, 6);
  return sum >>> Math.clz32(slots - 1);
}

function spread(word: number, at: number): number {
  return (Math.imul(word & 0xffff, multipliers[at]!) + Math.imul(word >>> 16, multipliers[at + 1]!)) | 0;
}
