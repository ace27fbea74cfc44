import { explainMismatch, type KnownSecret, type Mismatch } from "./explain.ts";

/** The explanation of a mismatch, or undefined when there have been too many of late. */
export type Explain = (mismatch: Mismatch) => string | undefined;

/** Explanations in a row, and those regained in a second: strangers must not keep the process hashing. */
const burst = 5;
const perSecond = 1;

/** Explains mismatches at a bounded rate for each channel. */
export function createExplainer(secrets: readonly KnownSecret[]): Explain {
  const budgets = new Map<string, { tokens: number; atMs: number }>();
  return (mismatch) => {
    const { channel, nowMs } = mismatch;
    const budget = budgets.get(channel) ?? { tokens: burst, atMs: nowMs };
    const regained = (Math.max(0, nowMs - budget.atMs) / 1_000) * perSecond;
    const tokens = Math.min(burst, budget.tokens + regained);
    const isGranted = tokens >= 1;
    budgets.set(channel, { tokens: isGranted ? tokens - 1 : tokens, atMs: nowMs });
    return isGranted ? explainMismatch(mismatch, secrets) : undefined;
  };
}
