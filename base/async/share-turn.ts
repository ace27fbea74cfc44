import { setImmediate as turn } from "node:timers/promises";

/**
 * One run for all calls that come within one turn of the event loop, which is
 * also how many the packets of one read can hold. It begins after all of them,
 * so that what it finds is never older than a call.
 */
export function shareTurn<T>(run: () => T | Promise<T>): () => Promise<T> {
  let next: Promise<T> | undefined;
  return () => {
    next ??= turn().then(() => {
      next = undefined;
      return run();
    });
    return next;
  };
}
