import { TokenBucket } from "../../base/async/token-bucket.ts";
import { LruCache } from "../../base/cache/lru-cache.ts";
import { networkOf } from "../http/network.ts";

/** Wrong keys that one address may send: ten at once, then ten a minute. */
const wrongKeys = { perSecond: 1 / 6, burst: 10 } as const;
const maxAddresses = 10_000;

/** Limits the attempts of an address to sign in with wrong keys. */
export interface AttemptLimit {
  /** The milliseconds until this address may try again; 0 when it may. `nowMs` is monotonic. */
  waitMs(address: string, nowMs: number): number;
  /** Counts an attempt with a wrong key. */
  failed(address: string, nowMs: number): void;
}

export function createAttemptLimit(): AttemptLimit {
  const byNetwork = new LruCache<string, TokenBucket>(maxAddresses);
  return {
    waitMs: (address, nowMs) => byNetwork.get(networkOf(address))?.waitMs(wrongKeys, nowMs) ?? 0,
    failed(address, nowMs) {
      const network = networkOf(address);
      const bucket = byNetwork.get(network) ?? new TokenBucket(wrongKeys, nowMs);
      byNetwork.set(network, bucket);
      bucket.take();
    },
  };
}
