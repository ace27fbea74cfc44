/** A result that many callers ask for, loaded at most a small part of the time. */
export interface Paced<T> {
  get(): Promise<T>;
  /** Makes the next call load again. */
  forget(): void;
}

/** A result is used for this many times as long as its load took, so that loads take at most 5 % of the time … */
const ageFactor = 20;
/** … but not longer than a person notices. */
const maxAgeMs = 2_000;

/**
 * Creates a paced loader: callers at the same time share a load, and a result that took long is used for longer.
 * A failed load is not kept.
 */
export function createPaced<T>(load: () => Promise<T>, monotonicMs: () => number): Paced<T> {
  let kept: { readonly result: Promise<T>; untilMs: number } | undefined;
  return {
    get() {
      if (kept !== undefined && monotonicMs() < kept.untilMs) return kept.result;
      const startMs = monotonicMs();
      const own = { result: load(), untilMs: Number.POSITIVE_INFINITY };
      kept = own;
      own.result.then(
        () => {
          const endMs = monotonicMs();
          own.untilMs = endMs + Math.min(ageFactor * (endMs - startMs), maxAgeMs);
        },
        () => {
          if (kept === own) kept = undefined;
        },
      );
      return own.result;
    },
    forget() {
      kept = undefined;
    },
  };
}
