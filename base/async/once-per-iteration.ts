import { setImmediate as turn } from "node:timers/promises";

/**
 * Returns a function that runs `run` once for all calls within one iteration of the event loop, such as those whose
 * packets came in one read. The run begins after all of them, so its result is never older than a call.
 */
export function oncePerIteration<T>(run: () => T | Promise<T>): () => Promise<T> {
  let next: Promise<T> | undefined;
  return () => {
    next ??= turn().then(() => {
      next = undefined;
      return run();
    });
    return next;
  };
}
