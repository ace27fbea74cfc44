export type ErrorClass = new (message: string, options?: ErrorOptions) => Error;

/** The error classes of a store, which its port declares, and the words of their messages. */
export interface StoreFaults {
  /** The name of the store in messages, such as "inbox". */
  readonly noun: string;
  /** Why a commit must be on disk before it is acknowledged, such as "a crash would lose …". */
  readonly ifNotDurable: string;
  /** What to do about an unreadable file, such as "restore it, or …". */
  readonly ifDamaged: string;
  /** The store can't be opened, and trying again does not help. */
  readonly OpenError: ErrorClass;
  /** The store can't do its work at the moment. */
  readonly UnavailableError: ErrorClass;
  /** The store has no space for more data. */
  readonly FullError: ErrorClass;
  /**
   * Errors of single requests, which keep their class when they cross threads. Subclasses come before
   * their base classes.
   */
  readonly requestErrors: readonly ErrorClass[];
}

export function isErrorOf(faults: StoreFaults, error: unknown): boolean {
  const { OpenError, UnavailableError, FullError, requestErrors } = faults;
  return [OpenError, UnavailableError, FullError, ...requestErrors].some((kind) => error instanceof kind);
}

/** A store is not empty, and holds other rows than those to copy. */
export class OccupiedError extends Error {
  override readonly name = "OccupiedError";
}
