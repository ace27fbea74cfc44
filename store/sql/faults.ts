import { wordError } from "../../base/text/system-error.ts";

export type ErrorClass = new (message: string, options?: ErrorOptions) => Error;

/** How a store tells of its faults: in words of its own, and in classes that its port declares. */
export interface StoreFaults {
  /** What messages call it, as "inbox". */
  readonly noun: string;
  /** Why a commit must be on disk when it is answered, as "a crash would lose …". */
  readonly ifNotDurable: string;
  /** What to do about a file that can't be read, as "restore it, or …". */
  readonly ifDamaged: string;
  /** It can't be opened, and trying again won't help. */
  readonly OpenError: ErrorClass;
  /** It can't do its work now. */
  readonly UnavailableError: ErrorClass;
  /** There is no room for more. */
  readonly FullError: ErrorClass;
  /** Faults of requests, which keep their class on the way from a thread; the more special first. */
  readonly requestErrors: readonly ErrorClass[];
}

export function messageOf(error: unknown): string {
  return wordError(error);
}

export function isOwn(faults: StoreFaults, error: unknown): boolean {
  const { OpenError, UnavailableError, FullError, requestErrors } = faults;
  return [OpenError, UnavailableError, FullError, ...requestErrors].some((kind) => error instanceof kind);
}
