/**
 * Lanes of a key, which tells members of an audience apart: that of the user if no other user can have the same push
 * id, and that of the push id otherwise. Keys are stored while a run is prepared, so no version changes them.
 */
export const keyLanes = 3;
/** Length of a key, in bytes. */
export const keyBytes = keyLanes * Int32Array.BYTES_PER_ELEMENT;

/** Writes the key of a user: its id after a 0, with which no key of a push id begins. @param userId a safe integer */
export function writeUserKey(userId: number, key: Int32Array): Int32Array {
  key[0] = 0;
  // A lane takes the low 32 bits of the integer part of what is stored in it.
  key[1] = userId;
  key[2] = userId / 2 ** 32;
  return key;
}

/**
 * Writes the key of a push id, a hash: four lanes are multiplied by odd numbers and mixed into each other; three are
 * kept. The probability that two of 1 million push ids have the same key is 1 in 10^17. The hash is not a cryptographic
 * one, which costs four times as much; chosen collisions would only keep messages from these push ids.
 */
export function writePushIdKey(pushId: string, key: Int32Array): Int32Array {
  let a = 0x9e3779b9 | 0;
  let b = 0x243f6a88;
  let c = 0xb7e15162 | 0;
  let d = pushId.length;
  for (let i = 0; i < pushId.length; i++) {
    const unit = pushId.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x85ebca6b) ^ (d >>> 13);
    b = Math.imul(b ^ unit ^ a, 0xc2b2ae35) ^ (a >>> 16);
    c = Math.imul(c + unit, 0x27d4eb2f) ^ (b >>> 15);
    d = (Math.imul(d ^ c, 0x165667b1) + a) | 0;
  }
  key[0] = mixBits(a ^ d) || 1;
  key[1] = mixBits((b + Math.imul(d, 5)) | 0);
  key[2] = mixBits(c ^ mixBits(d));
  return key;
}

/** Mixes each bit of a lane into all others. */
export function mixBits(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return mixed ^ (mixed >>> 16);
}
