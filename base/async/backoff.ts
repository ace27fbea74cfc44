/** The delays before failed work is tried again. */
export interface Delays {
  /** The delay before the second attempt. It doubles with each further attempt. */
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
}

/** The wait after a failed attempt, without jitter. @param attempt the number of the one that failed, from 1 */
export function backoffMs(attempt: number, { minDelayMs, maxDelayMs }: Delays): number {
  // The bound on the exponent keeps the product finite.
  return Math.min(maxDelayMs, minDelayMs * 2 ** Math.min(attempt - 1, 40));
}

/**
 * Any time from 0 to `delayMs` (full jitter), so that work that failed together
 * does not come back together.
 * @param random from 0 to below 1
 */
export function fullJitter(delayMs: number, random: number): number {
  return random * delayMs;
}

/** Any time from half of `delayMs` to all of it, where a wait must not be short. @param random from 0 to below 1 */
export function halfJitter(delayMs: number, random: number): number {
  return delayMs * (0.5 + random / 2);
}
