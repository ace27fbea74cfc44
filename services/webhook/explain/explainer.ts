import { type RateLimit, TokenBucket } from "../../../base/async/token-bucket.ts";
import { explainMismatch, type KnownSecret, type Mismatch } from "./explain.ts";

/** The explanation of a mismatch, or undefined when there were too many recently. */
export type Explain = (mismatch: Mismatch) => string | undefined;

/** Unauthenticated callers must not keep the process hashing, on one channel or on all of them. */
const ofChannel: RateLimit = { burst: 5, perSecond: 1 };
const ofAll: RateLimit = { burst: 10, perSecond: 3 };

/**
 * Creates a function that explains mismatches at a limited rate, for each channel and in total.
 * @param secrets returns those of all channels
 */
export function createExplainer(secrets: () => readonly KnownSecret[], monotonicMs: () => number): Explain {
  const channels = new Map<string, TokenBucket>();
  const all = new TokenBucket(ofAll, monotonicMs());
  return (mismatch) => {
    const { channel } = mismatch;
    const atMs = monotonicMs();
    const own = channels.get(channel) ?? new TokenBucket(ofChannel, atMs);
    channels.set(channel, own);
    if (own.waitMs(ofChannel, atMs) > 0 || all.waitMs(ofAll, atMs) > 0) return undefined;
    own.take();
    all.take();
    return explainMismatch(mismatch, secrets());
  };
}
