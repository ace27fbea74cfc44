/** Returns the fields to add to a line, or undefined when the line must not be written. */
export type Throttle = (key: string) => { readonly omitted?: number } | undefined;

/** Lines that may be written at once; after that, one per interval. */
const burst = 5;
const intervalMs = 1_000;

interface Budget {
  /** When the whole burst may be written again. */
  fullAtMs: number;
  omitted: number;
}

/**
 * Limits the lines that callers and broken targets can cause: for each key, lines
 * beyond a burst of 5 and 1 per second are omitted, and the next line has their
 * number.
 * @param monotonicMs a monotonic clock
 */
export function createThrottle(monotonicMs: () => number): Throttle {
  const budgets = new Map<string, Budget>();
  return (key) => {
    const nowMs = monotonicMs();
    const budget = budgets.get(key) ?? { fullAtMs: nowMs, omitted: 0 };
    budgets.set(key, budget);
    const fullAtMs = Math.max(nowMs, budget.fullAtMs) + intervalMs;
    if (fullAtMs > nowMs + burst * intervalMs) {
      budget.omitted++;
      return undefined;
    }
    const { omitted } = budget;
    budgets.set(key, { fullAtMs, omitted: 0 });
    return omitted === 0 ? {} : { omitted };
  };
}
