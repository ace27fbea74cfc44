/** The time limit shared by parts that stop one after the other. */
export interface StopTime {
  /** Aborted when the stop begins. */
  readonly signal: AbortSignal;
  /** Starts the stop. */
  begin(): void;
  /** Returns the time left for the part that stops now. */
  leftMs(): number;
}

/** The minimum time for a part, so that it can store its state. */
const leastMs = 1_000;

/**
 * @param drainMs returns the time for all parts together
 * @param monotonicMs a monotonic clock
 */
export function createStopTime(drainMs: () => number, monotonicMs: () => number): StopTime {
  const stop = new AbortController();
  let endMs: number | undefined;
  return {
    signal: stop.signal,
    begin() {
      endMs ??= monotonicMs() + drainMs();
      stop.abort();
    },
    leftMs: () => Math.max(Math.min(leastMs, drainMs()), (endMs ?? 0) - monotonicMs()),
  };
}
