/** The time that parts which stop one after the other share. */
export interface StopTime {
  /** Aborted when it begins. */
  readonly signal: AbortSignal;
  /** The server begins to stop. */
  begin(): void;
  /** What is left for the part that stops now. */
  leftMs(): number;
}

/** A part that comes late still gets this, so that it can put away what it holds. */
const leastMs = 1_000;

/** @param monotonicMs a clock that never goes back */
export function createStopTime(drainMs: number, monotonicMs: () => number): StopTime {
  const stop = new AbortController();
  let endMs: number | undefined;
  return {
    signal: stop.signal,
    begin() {
      endMs ??= monotonicMs() + drainMs;
      stop.abort();
    },
    leftMs: () => Math.max(Math.min(leastMs, drainMs), (endMs ?? 0) - monotonicMs()),
  };
}
