import { afterAll, beforeAll } from "vitest";

/** Gets the function that closes what was opened. */
export type OnEnd = (end: () => void | PromiseLike<void>) => void;

/**
 * Opens something before the tests of a file or of a `describe`, and closes it after them. Returns a
 * function that returns it.
 */
export function openForAll<T>(open: (onEnd: OnEnd) => Promise<T>): () => T {
  const ends: (() => void | PromiseLike<void>)[] = [];
  let opened: T;
  beforeAll(async () => {
    opened = await open((end) => void ends.push(end));
  });
  afterAll(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  return () => opened;
}
