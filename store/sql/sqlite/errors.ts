import { errorMessage } from "../../../base/text/system-error.ts";
import { isErrorOf, type StoreFaults } from "../faults.ts";

/** SQLite's primary result codes which concern the store, not a statement (https://www.sqlite.org/rescode.html). */
const storeCodes: ReadonlyMap<number, string> = new Map([
  [5, "busy"],
  [6, "locked"],
  [7, "out of memory"],
  [8, "read-only"],
  [10, "I/O error"],
  [11, "damaged"],
  [13, "disk full"],
  [14, "can't be opened"],
  [26, "damaged"],
]);
const busy = 5;
const full = 13;
const damaged: ReadonlySet<number> = new Set([11, 26]);

/** Returns the primary result code, which is the low byte of the extended one; 0 for any other error. */
export function codeOf(error: unknown): number {
  return error instanceof Error && "errcode" in error ? (error.errcode as number) & 0xff : 0;
}

export function isBusy(error: unknown): boolean {
  return codeOf(error) === busy;
}

export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === full;
}

export function isDamaged(error: unknown): boolean {
  return damaged.has(codeOf(error));
}

/** An error in the form that crosses threads. A number is an index of the store's `requestErrors`. */
export interface SerializedError {
  readonly kind: "unavailable" | "other" | number;
  readonly message: string;
}

/** Reports whether the store failed, not just one request. */
export function isStoreError(faults: StoreFaults, error: unknown): boolean {
  return storeCodes.has(codeOf(error)) || error instanceof faults.UnavailableError;
}

export function serializeError(faults: StoreFaults, path: string, error: unknown): SerializedError {
  const message = errorMessage(error);
  const kind = faults.requestErrors.findIndex((one) => error instanceof one);
  if (kind >= 0) return { kind, message };
  const why = storeCodes.get(codeOf(error));
  if (why !== undefined) {
    return { kind: "unavailable", message: `${faults.noun} file "${path}": ${why} (${message})` };
  }
  return { kind: isErrorOf(faults, error) ? "unavailable" : "other", message };
}

/** Restores an error for a request. A database that can't be opened again is only unavailable at the moment. */
export function deserializeError(faults: StoreFaults, { kind, message }: SerializedError): Error {
  if (kind === "other") return new Error(message);
  const Kind = kind === "unavailable" ? faults.UnavailableError : faults.requestErrors[kind]!;
  return new Kind(message);
}
