/** What to add to a line that may be written; undefined when it may not. */
export type Throttle = (key: string) => { readonly omitted?: number } | undefined;

/** Lines at once, and in the long run one for each of these. */
const burst = 5;
const intervalMs = 1_000;

interface Budget {
  /** When all of the burst may be written again. */
  fullAtMs: number;
  omitted: number;
}

/**
 * Bounds what strangers and broken targets can make a log grow: for each key,
 * lines beyond a burst of 5 and 1 a second are left out, and the next one says
 * how many.
 * @param monotonicMs a clock that never goes back
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
