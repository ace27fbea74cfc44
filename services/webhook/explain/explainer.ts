import { explainMismatch, type KnownSecret, type Mismatch } from "./explain.ts";

/** The explanation of a mismatch, or undefined when there have been too many of late. */
export type Explain = (mismatch: Mismatch) => string | undefined;

interface Allowance {
  /** Explanations in a row. */
  readonly burst: number;
  /** Those regained in a second. */
  readonly perSecond: number;
}

/** Strangers must not keep the process hashing, on one channel or on all of them. */
const ofChannel: Allowance = { burst: 5, perSecond: 1 };
const ofAll: Allowance = { burst: 10, perSecond: 3 };

/** Explains mismatches at a bounded rate, for each channel and for all together. */
export function createExplainer(secrets: readonly KnownSecret[], monotonicMs: () => number): Explain {
  const channels = new Map<string, Budget>();
  const all = new Budget(ofAll, monotonicMs());
  return (mismatch) => {
    const { channel } = mismatch;
    const atMs = monotonicMs();
    const own = channels.get(channel) ?? new Budget(ofChannel, atMs);
    channels.set(channel, own);
    if (!own.has(atMs) || !all.has(atMs)) return undefined;
    own.take();
    all.take();
    return explainMismatch(mismatch, secrets);
  };
}

class Budget {
  readonly #allowance: Allowance;
  #left: number;
  #atMs: number;

  constructor(allowance: Allowance, atMs: number) {
    this.#allowance = allowance;
    this.#left = allowance.burst;
    this.#atMs = atMs;
  }

  has(atMs: number): boolean {
    const { burst, perSecond } = this.#allowance;
    this.#left = Math.min(burst, this.#left + ((atMs - this.#atMs) / 1_000) * perSecond);
    this.#atMs = atMs;
    return this.#left >= 1;
  }

  take(): void {
    this.#left--;
  }
}
