import { type QueryCounts, TooManyQueriesError } from "../events.ts";

/** Lets so many run at a time; the others wait in the order in which they came. */
export interface Turns {
  /**
   * Resolves to what gives the turn back; more than one call of that does no more.
   * @throws TooManyQueriesError when as many wait as may; the signal's reason
   */
  take(signal: AbortSignal): Promise<() => void>;
  counts(): QueryCounts;
}

export function createTurns(maxRunning: number, maxWaiting: number): Turns {
  const waiting = new Set<() => void>();
  let running = 0;
  const giveBack = () => {
    running--;
    const [next] = waiting;
    next?.();
  };
  const start = () => {
    running++;
    let isGiven = false;
    return () => {
      if (!isGiven) giveBack();
      isGiven = true;
    };
  };
  const wait = (signal: AbortSignal) =>
    new Promise<() => void>((resolve, reject) => {
      const leave = () => {
        waiting.delete(enter);
        signal.removeEventListener("abort", abort);
      };
      const enter = () => {
        leave();
        resolve(start());
      };
      const abort = () => {
        leave();
        reject(signal.reason);
      };
      waiting.add(enter);
      signal.addEventListener("abort", abort);
    });
  return {
    counts: () => ({ running, waiting: waiting.size }),
    async take(signal) {
      signal.throwIfAborted();
      if (running < maxRunning) return start();
      if (waiting.size < maxWaiting) return wait(signal);
      throw new TooManyQueriesError(
        `${running} queries run and ${waiting.size} wait, at most ${maxRunning} and ${maxWaiting} may`,
      );
    },
  };
}
