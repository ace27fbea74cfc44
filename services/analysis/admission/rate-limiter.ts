import type { RateLimit } from "./tokens.ts";

export interface RateLimiter {
  /** Takes one turn of this name: 0, or the milliseconds after which there is one. */
  take(name: string, limit: RateLimit): number;
}

interface Bucket {
  turns: number;
  filledMs: number;
}

/** Token buckets by name. @param now milliseconds that never go back */
export function createRateLimiter(now: () => number): RateLimiter {
  const buckets = new Map<string, Bucket>();
  return {
    take(name, { perSecond, burst }) {
      const nowMs = now();
      const bucket = buckets.get(name) ?? { turns: burst, filledMs: nowMs };
      const turns = Math.min(burst, bucket.turns + ((nowMs - bucket.filledMs) / 1_000) * perSecond);
      const isAllowed = turns >= 1;
      buckets.set(name, { turns: isAllowed ? turns - 1 : turns, filledMs: nowMs });
      return isAllowed ? 0 : Math.ceil(((1 - turns) / perSecond) * 1_000);
    },
  };
}
