/**
 * Returns the shard of a user's events and rows, from 0 on. It must never change: rows are stored where
 * it says.
 */
export function shardOfUser(userId: number, shards: number): number {
  if (shards === 1) return 0;
  const low = (userId % 2 ** 32) | 0;
  const high = Math.floor(userId / 2 ** 32);
  return mix(low ^ Math.imul(high, 0x9e3779b1)) % shards;
}

/** Returns the shard of a visitor and its users, from 0 on. */
export function shardOfVisitor(distinctId: string, shards: number): number {
  if (shards === 1) return 0;
  // FNV-1a over UTF-16 code units.
  let hash = 0x811c9dc5;
  for (let at = 0; at < distinctId.length; at++) {
    hash = Math.imul(hash ^ distinctId.charCodeAt(at), 0x01000193);
  }
  return mix(hash) % shards;
}

/** Spreads the bits of an integer of 32 bits: the finalizer of MurmurHash3. */
function mix(integer: number): number {
  let hash = integer;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
