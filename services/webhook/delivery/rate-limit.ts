/** Never more than N starts in any one second, wherever that second begins. */
export interface RateLimit {
  /** Time until the next start is allowed; 0: now. */
  waitMs(nowMs: number): number;
  /** Notes a start. Only when `waitMs` is 0. */
  take(nowMs: number): void;
}

const windowMs = 1_000;

/**
 * Keeps the times of the last N starts: the next one may come a whole second
 * after the oldest of them. 8 bytes for each of N.
 */
export function createRateLimit(maxPerSecond: number): RateLimit {
  const starts = new Float64Array(maxPerSecond).fill(Number.NEGATIVE_INFINITY);
  let oldest = 0;
  return {
    waitMs: (nowMs) => Math.max(0, starts[oldest]! + windowMs - nowMs),
    take(nowMs) {
      starts[oldest] = nowMs;
      oldest = (oldest + 1) % maxPerSecond;
    },
  };
}
