import { type HashHalves, hashText } from "../expiring-uuid-set.ts";

/** The bytes of a hash. */
export const hashBytes = 16;
export const hashWords = hashBytes / 4;
/** The first half is the hash of the same uuid in a file. */
export const movedHashBytes = 8;

/** Makes the second half of a hash differ from the first. */
const secondSeed = 0x5bd1e995;
const half: HashHalves = { low: 0, high: 0 };

/**
 * Returns the hashes of uuids of a project, one after the other. Among 10^12 uuids a collision has a
 * probability of less than 1 in 10^14.
 */
export function hashUuids(projectId: number, uuids: readonly string[]): Buffer {
  const hashes = Buffer.allocUnsafeSlow(uuids.length * hashBytes);
  let at = 0;
  for (const uuid of uuids) {
    for (const seed of [projectId, projectId ^ secondSeed]) {
      hashText(seed, uuid, half);
      at = hashes.writeUInt32BE(half.low, at);
      at = hashes.writeUInt32BE(half.high, at);
    }
  }
  return hashes;
}

/** Returns whether hashes of two lists of words are the same. The positions are those of their first words. */
export function isSameHash(words: Uint32Array, at: number, others: Uint32Array, other: number): boolean {
  for (let word = 0; word < hashWords; word++) if (words[at + word] !== others[other + word]) return false;
  return true;
}
