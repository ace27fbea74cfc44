import { setImmediate as nextTurn } from "node:timers/promises";

/** Awaited between two steps of a long work; undefined while there is nothing to wait for, which costs least. */
export type Turn = () => Promise<void> | undefined;

/** Longer than most of what else is to be done, shorter than what callers notice. */
const defaultSliceMs = 5;

/**
 * Lets the event loop do other work whenever a long one has held it for a
 * while. For steps of some microseconds and more.
 */
export function createTurn(sliceMs = defaultSliceMs, now: () => number = () => performance.now()): Turn {
  let until = now() + sliceMs;
  return () => {
    if (now() < until) return undefined;
    return nextTurn().then(() => {
      until = now() + sliceMs;
    });
  };
}

/** As `items.map(work)`. */
export async function mapInTurns<T, U>(items: readonly T[], work: (item: T) => U, turn: Turn): Promise<U[]> {
  const done: U[] = [];
  for (const item of items) {
    done.push(work(item));
    const wait = turn();
    if (wait !== undefined) await wait;
  }
  return done;
}
